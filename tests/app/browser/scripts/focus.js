// What has the focus (inside shadow roots too), whether that can be seen, and where it is.
() => {
  let element = document.activeElement;
  while (element && element.shadowRoot && element.shadowRoot.activeElement)
    element = element.shadowRoot.activeElement;
  if (!element || element === document.body) return null;
  const box = element.getBoundingClientRect();
  const ring = node => {
    const style = getComputedStyle(node);
    return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
  };
  let visible = false;
  for (let node = element, depth = 0; node && depth < 4; depth++) {
    visible = visible || ring(node);
    node = node.parentElement || (node.getRootNode().host ?? null);
  }
  const host = element.getRootNode().host;
  const outer = host ?? element;
  const key = [...(outer.closest('[class*="st-key-"]')?.classList || [])].find(c => c.startsWith('st-key-'));
  const label = [...(element.labels || [])].map(l => l.textContent).join(' ');
  return {
    tag: element.tagName.toLowerCase(), role: element.getAttribute('role'), key: key || null,
    name: (element.getAttribute('aria-label') || label || element.textContent || element.title || '').trim().slice(0, 60),
    x: Math.round(box.x), y: Math.round(box.y + scrollY), ring: visible,
    testid: element.getAttribute('data-testid'),
  };
}
