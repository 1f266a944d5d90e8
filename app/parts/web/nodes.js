// What every component begins with: words enter the page as text nodes only, never as markup.

const make = (tag, name, text) => {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text !== undefined) node.append(document.createTextNode(text));
  return node;
};

const editable = (node) => !!node && (node.isContentEditable
  || ["INPUT", "TEXTAREA", "SELECT"].includes(node.tagName));
