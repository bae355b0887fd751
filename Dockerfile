# roce-lint alone in a container, as nobody and without write access:
#   docker build -t roce-lint .
#   docker run --rm --read-only --tmpfs /tmp -v "$PWD/configs:/configs:ro" roce-lint check /configs
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY roce_lint roce_lint
COPY rules rules
COPY templates templates
RUN python -m venv /opt/roce-lint && /opt/roce-lint/bin/pip install --no-cache-dir --disable-pip-version-check .

FROM python:3.12-slim
COPY --from=build /opt/roce-lint /opt/roce-lint
ENV PATH=/opt/roce-lint/bin:$PATH PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME=/tmp
USER 65534:65534
WORKDIR /configs
ENTRYPOINT ["roce-lint"]
CMD ["check", "."]
