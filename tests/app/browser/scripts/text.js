// All text of a region as the page holds it (not as it is laid out), shadow roots included.
selector => {
  const root = document.querySelector(selector);
  if (!root) return null;
  const read = node => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (['STYLE', 'SCRIPT'].includes(node.nodeName)) return '';
    const own = [...node.childNodes].map(read).join('');
    return (node.shadowRoot ? [...node.shadowRoot.childNodes].map(read).join('') : '') + own;
  };
  return read(root);
}
