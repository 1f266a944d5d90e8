// Streamlit says on stApp whether a script is running and whether the server is there. It says so
// only once the server has begun: what was just done must have been answered, too.
(quiet) => {
  const app = document.querySelector('[data-testid="stApp"]');
  if (!app) return document.readyState === 'complete' && !document.querySelector('noscript');
  const { sent, received, acted } = window.__traffic;
  return app.getAttribute('data-test-script-state') === 'notRunning'
      && app.getAttribute('data-test-connection-state') === 'CONNECTED'
      && received >= sent
      && performance.now() - Math.max(received, acted) >= quiet;
}
