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
      ? `${left} ${noun}, most severe first`
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
      complete(item);
      trace(item);
      history.replaceState(null, "", `#${item.id}`);
    } else {
      trace(findings.findLast((other) => other.open) ?? null);
    }
  }

  function follow() {
    const item = findings.find((each) => `#${each.id}` === location.hash);
    const rule = location.hash.startsWith("#rule-") && document.getElementById(location.hash.slice(1));
    if (rule) rule.open = true;
    if (!item) return;
    item.open = true;
    item.scrollIntoView();
  }

  // -------------------------------------------------------------------- order, copies, keys

  const GRAVE = { error: 3, warning: 2, info: 1 };
  const text = (item, name) => item.querySelector(`summary ${name}`)?.textContent.trim() ?? "";
  const KEYS = [
    (item) => -GRAVE[item.dataset.severity],
    (item) => item.dataset.rule,
    (item) => text(item, ".what"),
    (item) => text(item, ".at"),
    (item) => -Number(item.dataset.pairs),
  ];

  // A click on a head sorts by it; a second one brings back the order of the report.
  function sortable() {
    const heads = all(".heads > span");
    one(".heads")?.removeAttribute("aria-hidden");
    heads.forEach((head, column) => {
      const knob = document.createElement("button");
      knob.type = "button";
      knob.textContent = head.textContent;
      knob.setAttribute("aria-pressed", "false");
      knob.addEventListener("click", () => {
        const on = knob.getAttribute("aria-pressed") !== "true";
        all(".heads button").forEach((each) => each.setAttribute("aria-pressed", "false"));
        knob.setAttribute("aria-pressed", String(on));
        sort(on ? KEYS[column] : (item) => Number(item.dataset.n));
      });
      head.replaceChildren(knob);
    });
  }

  function sort(key) {
    const number = (item) => Number(item.dataset.n);
    findings.sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      return (x < y ? -1 : x > y ? 1 : 0) || number(a) - number(b);
    });
    one(".list").append(...findings);
  }

  const address = (item) => location.href.split("#")[0] + `#${item.id}`;

  // What a tracker of tickets shows; a name must not end a mark or call anybody.
  function ticket(item) {
    const plain = (said) => said.replace(/[\\`*_{}[\]<>#|~$@]/g, (mark) => `\\${mark}`);
    const facts = all(".facts div", item).map((row) => {
      const [name, value] = [...row.children].map((part) => part.textContent.trim());
      return name === "more" ? "" : `- ${plain(name)}: ${plain(value)}`;
    }).filter(Boolean);
    const lines = all(".body > .lines li", item).map((line) => `    ${line.textContent.trim().replace(/\s+/g, " ")}`);
    const head = `**${item.dataset.severity} ${item.dataset.rule}** ${plain(text(item, ".what"))}`;
    const consequence = item.querySelector(".consequence")?.textContent.trim() ?? "";
    return [head, plain(consequence), facts.join("\n"), lines.join("\n"), address(item)].filter(Boolean).join("\n\n");
  }

  // A cell that begins like a formula would be one in a spreadsheet.
  function cell(said) {
    const safe = /^[=+\-@\t\r]/.test(said) ? `'${said}` : said;
    return `"${safe.replace(/"/g, '""')}"`;
  }

  function csv() {
    const rows = findings.filter((item) => !item.hidden).map((item) => [
      item.dataset.severity, item.dataset.rule, text(item, ".what"), text(item, ".at"), item.dataset.pairs,
    ]);
    return [["severity", "rule", "what", "where", "pairs"], ...rows].map((row) => row.map(cell).join(",")).join("\n");
  }

  async function copy(said, knob) {
    try {
      await navigator.clipboard.writeText(said);
    } catch {
      const field = document.createElement("textarea");
      field.value = said;
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
    const before = knob.textContent;
    knob.textContent = "Copied";
    setTimeout(() => { knob.textContent = before; }, 1200);
  }

  // Made when a finding is opened: most never are.
  function complete(item) {
    if (item.whole) return;
    item.whole = true;
    const body = item.querySelector(".body");
    const says = document.getElementById(`rule-${item.dataset.rule}`)?.querySelector(".says");
    if (says) body.querySelector(".facts").after(says.cloneNode(true));
    const copies = document.createElement("p");
    copies.className = "copies";
    for (const [name, said] of [["Copy link", address], ["Copy as ticket", ticket]]) {
      const knob = document.createElement("button");
      knob.type = "button";
      knob.textContent = name;
      knob.addEventListener("click", () => copy(said(item), knob));
      copies.append(knob);
    }
    body.append(copies);
  }

  // "/" searches, j and k go to the next and the last finding.
  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, select, textarea")) return;
    const step = { j: 1, k: -1 }[event.key];
    if (event.key === "/") {
      event.preventDefault();
      filters.querySelector('[name="text"]').focus();
    } else if (step) {
      const shown = findings.filter((item) => !item.hidden);
      const at = shown.indexOf(document.activeElement.closest(".finding"));
      const to = shown[at < 0 ? (step > 0 ? 0 : shown.length - 1) : at + step];
      to?.querySelector("summary").focus();
    }
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
  one("#copy-csv").addEventListener("click", (event) => copy(csv(), event.target));
  document.addEventListener("keydown", keys);
  sortable();
  all("[data-f]").forEach(button);
  all("svg [data-f], th[data-f]").forEach(reachable);
  all(".matrix").forEach(roam);
  window.addEventListener("hashchange", follow);
  follow();
  filter();
})();
