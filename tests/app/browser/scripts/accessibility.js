// Contrast (WCAG 1.4.3), names of controls (4.1.2), text for images (1.1.1), order of headings.
() => {
  const found = {contrast: [], unnamed: [], images: [], headings: [], texts: 0, controls: 0,
                 title: document.title, lang: document.documentElement.lang || null};
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const colour = css => {
    const m = css.match(/^rgba?\(([\d.]+),\s*([\d.]+),\s*([\d.]+)(?:,\s*([\d.]+))?\)$/);
    if (m) return [+m[1], +m[2], +m[3], m[4] === undefined ? 1 : +m[4]];
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = '#000'; canvas.fillStyle = css; canvas.fillRect(0, 0, 1, 1);
    const d = canvas.getImageData(0, 0, 1, 1).data;
    return [d[0], d[1], d[2], d[3] / 255];
  };
  const over = (front, back) => [0, 1, 2].map(i => front[i] * front[3] + back[i] * (1 - front[3])).concat([1]);
  const light = c => {
    const [r, g, b] = c.slice(0, 3).map(v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const ratio = (a, b) => { const x = light(a), y = light(b); return (Math.max(x, y) + .05) / (Math.min(x, y) + .05); };
  const up = e => e.parentElement || (e.getRootNode().host ?? null);
  const within = (e, selector) => { for (let n = e; n; n = n.getRootNode().host) if (n.closest(selector)) return true; return false; };
  const seen = e => {
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    return box.width > 1 && box.height > 1 && style.visibility === 'visible' && +style.opacity > 0.01
      && !within(e, '[aria-hidden="true"],[inert]');
  };
  const ground = e => {
    const stack = []; let image = false;
    for (let n = e; n; n = up(n)) {
      const style = getComputedStyle(n);
      if (style.backgroundImage !== 'none') image = true;
      const c = colour(style.backgroundColor);
      if (c[3] > 0) { stack.push(c); if (c[3] === 1) break; }
    }
    return [stack.reverse().reduce((below, c) => over(c, below), [255, 255, 255, 1]), image];
  };
  const where = e => {
    const outer = e.getRootNode().host ?? e;
    const key = [...(outer.closest('[class*="st-key-"]')?.classList || [])].find(c => c.startsWith('st-key-'));
    return e.tagName.toLowerCase() + (e.dataset?.testid ? `[${e.dataset.testid}]` : '') + (key ? ` .${key}` : '');
  };
  const all = root => [...root.querySelectorAll('*')].flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
  const elements = all(document.body);
  const judge = (e, text) => {
    const style = getComputedStyle(e), [back, image] = ground(e);
    if (image) return;
    let fade = 1;
    for (let n = e; n; n = up(n)) fade *= +getComputedStyle(n).opacity;
    const front = colour(style.color); front[3] *= fade;
    const size = parseFloat(style.fontSize), big = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700);
    const r = ratio(over(front, back), back), need = big ? 3 : 4.5;
    if (r < need) found.contrast.push({text: text.slice(0, 40), ratio: +r.toFixed(2), need, where: where(e)});
  };
  for (const e of elements) {
    const text = [...e.childNodes].filter(n => n.nodeType === Node.TEXT_NODE).map(n => n.data.trim()).join(' ').trim();
    if (!text || !seen(e) || ['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(e.tagName)) continue;
    if (within(e, 'button[disabled],[aria-disabled="true"],[disabled]')) continue;   // 1.4.3 leaves inactive controls out
    found.texts++;
    judge(e, text);
  }
  const named = e => {
    const root = e.getRootNode();
    const by = (e.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean)
      .map(id => root.getElementById?.(id)?.textContent || '').join(' ');
    const own = ['INPUT', 'TEXTAREA', 'SELECT'].includes(e.tagName) ? '' : e.textContent;
    const images = [...e.querySelectorAll('img[alt],svg title')].map(x => x.getAttribute('alt') || x.textContent).join(' ');
    return (by || e.getAttribute('aria-label') || [...(e.labels || [])].map(l => l.textContent).join(' ')
      || own || e.getAttribute('title') || e.getAttribute('alt') || images || '').trim();
  };
  const controls = 'button,a[href],input:not([type=hidden]),textarea,select,summary,[role=button],[role=radio],'
    + '[role=checkbox],[role=tab],[role=combobox],[tabindex]:not([tabindex="-1"])';
  for (const e of elements.filter(x => x.matches(controls))) {
    if (!seen(e) && !(e.tagName === 'INPUT' && e.labels?.length && seen(e.labels[0]))) continue;
    found.controls++;
    if (!named(e)) found.unnamed.push(where(e));
  }
  for (const e of elements.filter(x => x.matches('img,canvas,[role="img"],[role="graphics-document"]')))
    if (seen(e) && !named(e) && !within(e.parentElement ?? e, '[role="img"],[role="graphics-document"]')) found.images.push(where(e));
  for (const e of elements.filter(x => x.matches('h1,h2,h3,h4,h5,h6'))) if (seen(e)) found.headings.push(+e.tagName[1]);
  return found;
}
