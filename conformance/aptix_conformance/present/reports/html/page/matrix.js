// The matrix of tools and rules: a grid that holds elements for the visible cells only.

const ROW = 27; // pixels, as in style.css
const COLUMN = 25;
const MOST_CELLS = 6000; // elements of cells at one time, however large the window is
const BEYOND = 4; // rows and columns beside the visible ones

class Matrix {
  /** `open` is called with a tool, a rule or both, and `hint` with the cell under the pointer or the cursor. */
  constructor(report, open, hint) {
    Object.assign(this, { report, open, hint, row: 0, column: -1, shown: "", place: [0, 0] });
    this.head = make("div", { role: "rowgroup", class: "head" });
    this.body = make("div", { role: "rowgroup", class: "body" });
    this.grid = make(
      "div",
      {
        role: "grid",
        id: "matrix",
        class: "matrix",
        tabindex: "0",
        "aria-label": "Tools and rules",
        "aria-readonly": "true",
        scroll: () => requestAnimationFrame(() => this.draw()),
        keydown: (event) => this.press(event),
        focus: () => this.mark(),
        click: (event) => this.at(event, (row, column) => (this.move(row, column), this.enter())),
        mouseover: (event) => this.at(event, (row, column) => this.point(row, column)),
      },
      this.head,
      this.body,
    );
    new ResizeObserver(() => this.draw()).observe(this.grid);
  }

  /** Show other cells; the cursor stays with its tool and rule where they are still there. */
  fill({ rows, columns, seen }) {
    const [tool, rule] = [this.rows?.[this.row], this.columns?.[this.column]];
    Object.assign(this, { rows, columns, seen });
    this.row = Math.min(Math.max(rows.indexOf(tool), 0), rows.length - 1);
    this.column = rule ? columns.indexOf(rule) : -1;
    this.grid.setAttribute("aria-rowcount", rows.length + 1);
    this.grid.setAttribute("aria-colcount", columns.length + 1);
    this.draw(true);
  }

  get nameWidth() {
    return this.head.firstChild?.firstChild?.offsetWidth || 320;
  }

  /** The visible rows and columns, and some beyond, as [first, end) of each. */
  window() {
    const { scrollTop, scrollLeft, clientHeight, clientWidth } = this.grid;
    const left = Math.max(0, Math.floor(scrollLeft / COLUMN) - BEYOND);
    const right = Math.min(this.columns.length, Math.ceil((scrollLeft + clientWidth - this.nameWidth) / COLUMN) + BEYOND);
    const top = Math.max(0, Math.floor(scrollTop / ROW) - BEYOND);
    const bottom = Math.min(this.rows.length, Math.ceil((scrollTop + clientHeight) / ROW) + BEYOND);
    const most = Math.floor(MOST_CELLS / Math.max(1, right - left + 1));
    return [top, Math.min(bottom, top + most), left, right];
  }

  draw(anew = false) {
    if (!this.rows || !this.grid.isConnected) return;
    if (!anew && this.grid.clientHeight) this.place = [this.grid.scrollTop, this.grid.scrollLeft];
    const [top, bottom, left, right] = this.window();
    const shown = [top, bottom, left, right].join();
    if (shown === this.shown && !anew) return;
    this.shown = shown;
    const width = `calc(var(--name-width) + ${this.columns.length * COLUMN}px)`;
    this.head.style.width = this.body.style.width = width;
    this.body.style.height = `${this.rows.length * ROW}px`;
    this.head.replaceChildren(this.headRow(left, right));
    this.body.replaceChildren(...this.rows.slice(top, bottom).map((tool, index) => this.toolRow(tool, top + index, left, right)));
    this.mark();
  }

  headRow(left, right) {
    const corner = make("div", { role: "columnheader", class: "name corner", "aria-colindex": "1", "data-at": "-1,-1" }, count(this.rows.length, "tool"), " \u00d7 ", count(this.columns.length, "rule"));
    const row = make("div", { role: "row", class: "row", "aria-rowindex": "1" }, corner);
    row.append(this.areaTitles());
    for (let column = left; column < right; column++) {
      const rule = this.columns[column];
      const first = this.isFirst(column);
      const cell = make(
        "div",
        { role: "columnheader", class: first ? "rule first" : "rule", "aria-colindex": column + 2, "aria-label": `${rule.code} ${rule.name}`, "data-at": `-1,${column}` },
        make("span", {}, rule.code),
      );
      row.append(placed(cell, column));
    }
    return row;
  }

  /** The title of each band above its rules, for the eye; the filter has the areas for everybody. */
  areaTitles() {
    const titles = new Map(this.report.areas);
    const spans = Map.groupBy(this.columns.entries(), ([, rule]) => bandOf(rule));
    const band = make("div", { class: "areas", "aria-hidden": "true" });
    for (const [area, entries] of spans) {
      const title = placed(make("span", { title: titles.get(area) }, titles.get(area) || area), entries[0][0]);
      title.style.width = `${entries.length * COLUMN}px`;
      band.append(title);
    }
    return band;
  }

  isFirst(column) {
    return column === 0 || bandOf(this.columns[column - 1]) !== bandOf(this.columns[column]);
  }

  toolRow(tool, index, left, right) {
    const row = make("div", { role: "row", class: index % 2 ? "row odd" : "row", "aria-rowindex": index + 2 }, this.nameCell(tool, index));
    row.style.top = `${index * ROW}px`;
    for (let column = left; column < right; column++) {
      const rule = this.columns[column];
      const cell = tool.cells[rule.number];
      const seen = this.seen(cell);
      const first = this.isFirst(column) ? " first" : "";
      const element = document.createElement("div");
      element.className = `cell ${seen ? classOf(cell) : "none"}${first}`;
      element.setAttribute("role", "gridcell");
      element.setAttribute("aria-colindex", column + 2);
      element.setAttribute("aria-label", seen ? `${rule.code} ${labelOf(cell)}` : `${rule.code} not shown`);
      element.dataset.at = `${index},${column}`;
      element.textContent = seen ? glyphOf(cell) : "";
      row.append(placed(element, column));
    }
    return row;
  }

  nameCell(tool, index) {
    const status = STATUSES[tool.status];
    const counts = [
      tool.broken && make("span", { class: "fail", title: "MUST rules broken" }, `${tool.broken}\u2715`),
      tool.advice && make("span", { class: "advice", title: "other rules broken" }, `${tool.advice}!`),
      tool.open && make("span", { class: "inconclusive", title: "rules not examined" }, `${tool.open}?`),
    ];
    return make(
      "div",
      { role: "rowheader", class: "name", "aria-colindex": "1", "data-at": `${index},-1`, "aria-label": `${plain(tool.name)}, ${tool.status}` },
      make("span", { class: `status ${status.class}`, title: tool.status }, status.glyph),
      own(tool.name, { class: "tool-name" }),
      make("span", { class: "counts" }, counts.filter(Boolean)),
    );
  }

  // ---- the cursor

  at(event, use) {
    const found = event.target.closest("[data-at]")?.dataset.at.split(",").map(Number);
    if (found) use(...found);
  }

  cellAt(row, column) {
    return this.grid.querySelector(`[data-at="${row},${column}"]`);
  }

  point(row, column) {
    this.hint(this.rows[row] ?? null, this.columns[column] ?? null);
  }

  /** Mark the cursor's cell, if it is among the elements. */
  mark() {
    for (const element of this.grid.querySelectorAll(".cursor, .cursor-column")) element.classList.remove("cursor", "cursor-column");
    this.grid.querySelector("#cursor")?.removeAttribute("id");
    const cell = this.cellAt(this.row, this.column);
    this.grid.removeAttribute("aria-activedescendant");
    if (!cell) return;
    cell.id = "cursor";
    cell.classList.add("cursor");
    if (this.column >= 0) this.cellAt(-1, this.column)?.classList.add("cursor-column");
    this.grid.setAttribute("aria-activedescendant", "cursor");
  }

  move(row, column) {
    this.row = Math.max(-1, Math.min(row, this.rows.length - 1));
    this.column = Math.max(-1, Math.min(column, this.columns.length - 1));
    const head = this.head.offsetHeight;
    if (this.row >= 0) {
      const top = this.row * ROW;
      const visible = this.grid.clientHeight - head - ROW;
      if (top < this.grid.scrollTop) this.grid.scrollTop = top;
      if (top > this.grid.scrollTop + visible) this.grid.scrollTop = top - visible;
    }
    if (this.column >= 0) {
      const left = this.column * COLUMN;
      const visible = this.grid.clientWidth - this.nameWidth - COLUMN;
      if (left < this.grid.scrollLeft) this.grid.scrollLeft = left;
      if (left > this.grid.scrollLeft + visible) this.grid.scrollLeft = left - visible;
    }
    this.draw();
    this.mark();
    this.point(this.row, this.column);
  }

  enter() {
    const [tool, rule] = [this.rows[this.row], this.columns[this.column]];
    if (tool && rule && !this.seen(tool.cells[rule.number])) return;
    if (tool || rule) this.open(tool ?? null, rule ?? null);
  }

  press(event) {
    const page = Math.max(1, Math.floor((this.grid.clientHeight - this.head.offsetHeight) / ROW) - 1);
    const whole = event.ctrlKey || event.metaKey;
    const { row, column } = this;
    const steps = {
      ArrowUp: () => this.move(row - 1, column),
      ArrowDown: () => this.move(row + 1, column),
      ArrowLeft: () => this.move(row, column - 1),
      ArrowRight: () => this.move(row, column + 1),
      PageUp: () => this.move(Math.max(0, row - page), column),
      PageDown: () => this.move(row + page, column),
      Home: () => this.move(whole ? 0 : row, -1),
      End: () => this.move(whole ? this.rows.length - 1 : row, this.columns.length - 1),
      Enter: () => this.enter(),
      " ": () => this.enter(),
    };
    if (event.altKey || !(event.key in steps)) return;
    event.preventDefault();
    steps[event.key]();
  }

  /** Come back to where the matrix was left. */
  restore() {
    [this.grid.scrollTop, this.grid.scrollLeft] = this.place;
    this.draw(true);
  }
}

/** The rules that a tool broke stand first, and have one title; the others stand by area. */
const bandOf = (rule) => (rule.broken ? "Broken" : rule.area);

function placed(element, column) {
  element.style.left = `calc(var(--name-width) + ${column * COLUMN}px)`;
  return element;
}
