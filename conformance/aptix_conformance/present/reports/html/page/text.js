// Text that came from a tool: shown as text, with each invisible or misleading character as an escape in a box.

const HIDDEN = /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}/gu;
const MOST_BOXES = 200; // of one text: more escapes have no box, so that a text cannot fill the page with elements
const MOST_SHOWN = 5000; // characters of one text before a person asks for the rest

const NAMED = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const BIDIRECTIONAL = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

function escapeOf(character) {
  const code = character.codePointAt(0);
  if (character in NAMED) return NAMED[character];
  const [mark, width] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${mark}${code.toString(16).padStart(width, "0")}`;
}

/** The text with escapes, for places that hold no elements: titles, labels. */
function plain(text) {
  return String(text).replace(HIDDEN, escapeOf);
}

/** The text as nodes; line feeds and tabs stay where `lines` says so. */
function shown(text, lines = false) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(HIDDEN)) {
    if (lines && (found[0] === "\n" || found[0] === "\t")) continue;
    if (nodes.length >= 2 * MOST_BOXES) break;
    nodes.push(text.slice(from, found.index), boxed(found[0]));
    from = found.index + found[0].length;
  }
  const rest = text.slice(from).replace(HIDDEN, (found) => (lines && /[\n\t]/.test(found) ? found : escapeOf(found)));
  return [...nodes, rest].filter((node) => node !== "");
}

function boxed(character) {
  const box = document.createElement("span");
  box.className = "hidden-character";
  const code = character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  box.title = `U+${code}${BIDIRECTIONAL.test(character) ? ", changes the direction of text" : ""}`;
  box.textContent = escapeOf(character);
  return box;
}

/** An element. A child is a node, or a text, which is escaped; null and false are left out. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, plain(value));
  }
  for (const child of children.flat(9)) {
    if (child instanceof Node) element.append(child);
    else if (child != null && child !== false) element.append(...shown(String(child)));
  }
  return element;
}

/** A text of a tool in a line, its direction kept to itself; a text that would not show is quoted. */
function own(text, attributes = {}) {
  return make("bdi", attributes, text.trim() ? text : `"${text}"`);
}

/** A text as it stands, in lines; a long one in parts. */
function block(text, attributes = {}) {
  const box = make("pre", { tabindex: "0", dir: "ltr", ...attributes });
  const more = (from) => {
    const until = from + (from ? 20 * MOST_SHOWN : MOST_SHOWN);
    box.append(...shown(text.slice(from, until), true));
    if (until >= text.length) return;
    const left = (text.length - until).toLocaleString("en");
    const button = make("button", { type: "button", class: "more", click: () => (button.remove(), more(until)) }, `Show more (${left} characters left)`);
    box.append(button);
  };
  more(0);
  return box;
}

/** Prose of the suite: what stands between backticks is code. */
function prose(text) {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 ? make("code", {}, part) : part));
}

/** The first items of a list as elements, the rest behind a button. */
function listed(parent, items, toElement, most = 200) {
  const more = (from) => {
    parent.append(...items.slice(from, from + most).map(toElement));
    if (from + most >= items.length) return;
    const button = make("button", { type: "button", class: "more", click: () => (holder.remove(), more(from + most)) }, `Show more (${items.length - from - most} left)`);
    const holder = parent.tagName === "TBODY" ? make("tr", {}, make("td", { colspan: "9" }, button)) : ["UL", "OL"].includes(parent.tagName) ? make("li", {}, button) : button;
    parent.append(holder);
  };
  more(0);
  return parent;
}

function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
