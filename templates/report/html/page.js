"use strict";
// Interactive parts of the page: filters, findings of a link, device or pair, and a path shown in
// the drawing. Without it everything is still readable.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  const findings = all(".finding");
  const filters = one("#filters");
  const drawing = one(".drawing");
  const words = (text) => text.split(" ").filter(Boolean);

  // ------------------------------------------------------------------------------- filters

  const chosen = { numbers: null, name: "" };

  function criteria() {
    const value = (name) => filters.querySelector(`[name="${name}"]`)?.value ?? "";
    return {
      severities: all('[name="severity"]:checked', filters).map((box) => box.value),
      rule: value("rule"),
      device: value("device"),
      traffic: value("traffic"),
      text: value("text").trim().toLowerCase(),
    };
  }

  function fits(item, by) {
    const data = item.dataset;
    if (chosen.numbers && !chosen.numbers.has(data.n)) return false;
    if (!by.severities.includes(data.severity)) return false;
    if (by.rule && data.rule !== by.rule) return false;
    if (by.device && !words(data.device).includes(by.device)) return false;
    if (by.traffic && data.traffic !== by.traffic) return false;
    if (!by.text) return true;
    item.text ??= item.textContent.toLowerCase();
    return item.text.includes(by.text);
  }

  function filter() {
    const by = criteria();
    let left = 0;
    for (const item of findings) {
      item.hidden = !fits(item, by);
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
    bar.append(`Filtered: ${chosen.name}`, clear);
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

  // One cell of a table of pairs is reached by the tab key, the others by the arrow keys.
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

  const SEVERITY = { error: 3, warning: 2, info: 1 };
  const text = (item, name) => item.querySelector(`summary ${name}`)?.textContent.trim() ?? "";
  const KEYS = [
    (item) => -SEVERITY[item.dataset.severity],
    (item) => item.dataset.rule,
    (item) => text(item, ".what"),
    (item) => text(item, ".at"),
    (item) => -Number(item.dataset.pairs),
  ];
  const DESCENDING = new Set([0, 4]);

  // A click on a head sorts by it; a second click restores the order of the report.
  function sortable() {
    const heads = all(".heads > span");
    heads.forEach((head, column) => {
      const knob = document.createElement("button");
      knob.type = "button";
      knob.textContent = head.textContent;
      knob.addEventListener("click", () => {
        const on = !head.hasAttribute("aria-sort");
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        if (on) head.setAttribute("aria-sort", DESCENDING.has(column) ? "descending" : "ascending");
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

  // A finding for a ticket tracker: its text in a fence that no name in it can close.
  function ticket(item) {
    const facts = all(".facts div", item).map((row) => {
      const [name, value] = [...row.children].map((part) => part.textContent.trim());
      return name === "more" ? "" : `${name}: ${value}`;
    }).filter(Boolean);
    const lines = all(".body > .lines li", item).map((line) => line.textContent.trim().replace(/\s+/g, " "));
    const consequence = item.querySelector(".consequence")?.textContent.trim() ?? "";
    const parts = [[text(item, ".what"), consequence], facts, lines];
    const body = parts.map((part) => part.filter(Boolean).join("\n")).filter(Boolean).join("\n\n");
    const longest = Math.max(0, ...(body.match(/`+/g) ?? []).map((run) => run.length));
    const fence = "`".repeat(Math.max(longest + 1, 3));
    const head = `**${item.dataset.severity} ${item.dataset.rule}**`;
    return [head, `${fence}text\n${body}\n${fence}`, address(item)].join("\n\n");
  }

  // A cell that begins like a formula would be evaluated by a spreadsheet.
  function cell(value) {
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return `"${safe.replace(/"/g, '""')}"`;
  }

  function csv() {
    const rows = findings.filter((item) => !item.hidden).map((item) => [
      item.dataset.severity, item.dataset.rule, text(item, ".what"), text(item, ".at"), item.dataset.pairs,
    ]);
    return [["severity", "rule", "what", "where", "pairs"], ...rows].map((row) => row.map(cell).join(",")).join("\n");
  }

  async function copy(value, knob) {
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      const field = document.createElement("textarea");
      field.value = value;
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
    const reference = document.getElementById(`rule-${item.dataset.rule}`)?.querySelector(".reference");
    if (reference) body.querySelector(".facts").after(reference.cloneNode(true));
    const copies = document.createElement("p");
    copies.className = "copies";
    const fix = item.querySelector(".facts .fix")?.textContent.trim();
    const choices = [["Copy link", address], ["Copy as ticket", ticket]];
    if (fix) choices.push(["Copy fix", () => fix]);
    for (const [name, content] of choices) {
      const knob = document.createElement("button");
      knob.type = "button";
      knob.textContent = name;
      knob.addEventListener("click", () => copy(content(item), knob));
      copies.append(knob);
    }
    body.append(copies);
  }

  // "/" searches, j and k go to the next and the previous finding.
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

  // A print shows the drawing without the path of a finding.
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
