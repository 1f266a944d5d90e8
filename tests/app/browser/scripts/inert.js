// What untrusted text became inside a region: live elements, handlers, scripts that ran.
([selector, marks]) => {
  const root = document.querySelector(selector);
  if (!root) return null;
  const inside = node => [...node.querySelectorAll('*')].flatMap(
    child => [child, ...(child.shadowRoot ? inside(child.shadowRoot) : [])]);
  const all = inside(root);
  const kinds = 'script,img,iframe,object,embed,form,video,audio,link,base,meta,a[href],style,svg';
  const ours = element => element.closest('button,[role="button"],[data-testid="stIconMaterial"]')
    || (element.matches('style') && /\.jk-[\w-]+\s*[{,]/.test(element.textContent))
    || (element.matches('style,svg') && element.getRootNode() !== document);
  return {
    live: all.filter(e => e.matches(kinds) && !ours(e)).map(e => e.outerHTML.slice(0, 120)),
    handlers: all.filter(e => [...e.attributes].some(a => /^on/i.test(a.name))).map(e => e.outerHTML.slice(0, 120)),
    ran: marks.filter(mark => window[mark] !== undefined),
  };
}
