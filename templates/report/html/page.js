"use strict";
// What the page can do beyond reading: filters, findings of a link, device or pair, and a path
// shown in the drawing. Without it everything is still there to read.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  const findings = all(".finding");
  const filters = one("#filters");
  const drawing = one(".drawing");
  const words = (text) => text.split(" ").filter(Boolean);

  // ------------------------------------------------------------------------------- filters

  const chosen = { numbers: null, name: "" };

  function wanted() {
    const value = (name) => filters.querySelector(`[name="${name}"]`)?.value ?? "";
    return {
      severities: all('[name="severity"]:checked', filters).map((box) => box.value),
      rule: value("rule"),
      device: value("device"),
      traffic: value("traffic"),
      text: value("text").trim().toLowerCase(),
    };
  }

  function fits(item, want) {
    const data = item.dataset;
    if (chosen.numbers && !chosen.numbers.has(data.n)) return false;
    if (!want.severities.includes(data.severity)) return false;
    if (want.rule && data.rule !== want.rule) return false;
    if (want.device && !words(data.device).includes(want.device)) return false;
    if (want.traffic && data.traffic !== want.traffic) return false;
    if (!want.text) return true;
    item.text ??= item.textContent.toLowerCase();
    return item.text.includes(want.text);
  }

  function filter() {
    const want = wanted();
    let left = 0;
    for (const item of findings) {
      item.hidden = !fits(item, want);
      left += item.hidden ? 0 : 1;
    }
    const noun = findings.length === 1 ? "finding" : "findings";
    one("#shown").textContent = left === findings.length
      ? `${left} ${noun}, the gravest first`
      : `${left} of ${findings.length} ${noun}`;
    one("#none").hidden = left > 0;
    const bar = one("#chosen");
    bar.hidden = !chosen.numbers;
    bar.replaceChildren();
    if (!chosen.numbers) return;
    const clear = document.createElement("button");
    clear.type = "button";
    clear.textContent = "Show all";
    clear.addEventListener("click", () => choose(null, ""));
    bar.append(`Only what stands on ${chosen.name}`, clear);
  }

  function choose(numbers, name) {
    chosen.numbers = numbers;
    chosen.name = name;
    filter();
    if (numbers) one("#findings").scrollIntoView();
  }

  function reset() {
    all("select, [type=search]", filters).forEach((field) => { field.value = ""; });
    all("[type=checkbox]", filters).forEach((box) => { box.checked = true; });
    choose(null, "");
  }

  // --------------------------------------------------- links, devices and pairs as buttons

  function nameOf(element) {
    const title = element.querySelector("title")?.textContent ?? element.getAttribute("title");
    return (title ?? element.textContent).trim();
  }

  function button(element) {
    const act = () => choose(new Set(words(element.dataset.f)), nameOf(element));
    element.addEventListener("click", act);
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      act();
    });
  }

  function reachable(element) {
    element.setAttribute("tabindex", "0");
    if (element.namespaceURI.endsWith("svg")) {
      element.setAttribute("role", "button");
      element.setAttribute("aria-label", `${nameOf(element)}. Show findings`);
    }
  }

  // In a table of pairs one cell can be reached by the tab key, the others by the arrows.
  function roam(table) {
    const cells = all("td[data-f]", table);
    if (!cells.length) return;
    cells.forEach((cell) => { cell.tabIndex = -1; });
    cells[0].tabIndex = 0;
    const rows = all("tbody tr", table).map((row) => all("td", row));
    table.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
      const by = step[event.key];
      const from = event.target.closest("td");
      if (!by || !from) return;
      event.preventDefault();
      let row = rows.findIndex((cells) => cells.includes(from));
      let column = rows[row].indexOf(from);
      do {
        row += by[0];
        column += by[1];
      } while (rows[row]?.[column] && !rows[row][column].dataset.f);
      const to = rows[row]?.[column];
      if (!to) return;
      from.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    });
  }

  // ------------------------------------------------------------------ the path in the drawing

  function trace(item) {
    if (!drawing) return;
    all(".on", drawing).forEach((element) => element.classList.remove("on"));
    const edges = new Set(item ? words(item.dataset.edges) : []);
    const nodes = new Set(item ? words(item.dataset.nodes) : []);
    all(".edge", drawing).forEach((e) => e.classList.toggle("on", edges.has(e.dataset.k)));
    all(".node", drawing).forEach((n) => n.classList.toggle("on", nodes.has(n.dataset.k)));
    drawing.classList.toggle("tracing", nodes.size > 0);
  }

  function opened(item) {
    if (item.open) {
      trace(item);
      history.replaceState(null, "", `#${item.id}`);
    } else {
      trace(findings.findLast((other) => other.open) ?? null);
    }
  }

  function follow() {
    const item = findings.find((each) => `#${each.id}` === location.hash);
    if (!item) return;
    item.open = true;
    item.scrollIntoView();
  }

  // On paper nothing is chosen: the drawing is printed without the path of a finding.
  window.addEventListener("beforeprint", () => trace(null));

  // ------------------------------------------------------------------------------ beginning

  if (!filters) return;
  filters.hidden = false;
  document.body.classList.add("can");
  filters.addEventListener("input", filter);
  one("#reset").addEventListener("click", reset);
  one("#open-all").addEventListener("click", () => {
    findings.forEach((item) => { item.open = !item.hidden || item.open; });
  });
  one("#close-all").addEventListener("click", () => findings.forEach((item) => { item.open = false; }));
  findings.forEach((item) => item.addEventListener("toggle", () => opened(item)));
  all("[data-f]").forEach(button);
  all("svg [data-f], th[data-f]").forEach(reachable);
  all(".matrix").forEach(roam);
  window.addEventListener("hashchange", follow);
  follow();
  filter();
})();
