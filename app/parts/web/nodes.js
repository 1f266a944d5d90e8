// What every component begins with: words enter the page as text nodes only, never as markup.
// Streamlit says on its root element whether the server is there and whether a script runs.

const CONNECTION = "data-test-connection-state";
const SCRIPT = "data-test-script-state";

const connected = (app) => {
  const state = app && app.getAttribute(CONNECTION);
  return !state || state === "CONNECTED";
};

const announce = (name, detail) => window.dispatchEvent(new CustomEvent(name, { detail }));

// Kept on the window: the line that tells it may be drawn anew before it has listened.
const unstored = (what, words) => {
  window.jkUnstored = [...(window.jkUnstored || []), `this ${what} was not stored: ${words}`];
  announce("jk-unstored");
};

const make = (tag, name, text) => {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text !== undefined) node.append(document.createTextNode(text));
  return node;
};

const editable = (node) => !!node && (node.isContentEditable
  || ["INPUT", "TEXTAREA", "SELECT"].includes(node.tagName));
