// Streamlit says on stApp whether a script is running and whether the server is there. It says so
// only once the server has begun: what was just done must have been answered, too. And our parts
// are fetched after the script: one that is not drawn yet holds its style alone.
(quiet) => {
  const app = document.querySelector('[data-testid="stApp"]');
  if (!app) return document.readyState === 'complete' && !document.querySelector('noscript');
  const { sent, received, acted } = window.__traffic;
  const parts = [...app.querySelectorAll('[data-testid="stBidiComponentRegular"]')];
  return app.getAttribute('data-test-script-state') === 'notRunning'
      && app.getAttribute('data-test-connection-state') === 'CONNECTED'
      && received >= sent
      && performance.now() - Math.max(received, acted) >= quiet
      && !app.querySelector('[data-testid="stSkeleton"]')
      && parts.every(part => part.childElementCount > 1 || !part.querySelector('style'));
}
