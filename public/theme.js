// The first script of every page.
(() => {
  // A launch code leaves the address bar before anything else runs; it can be taken once.
  if (location.hash.startsWith('#odl_')) {
    let code = location.hash.slice(1);
    history.replaceState(null, '', location.pathname + location.search);
    window.takeLaunchCode = () => {
      const taken = code;
      code = null;
      return taken;
    };
  }
  // Before the first paint, so the page never flashes in the other theme.
  let wish = null;
  try {
    wish = localStorage.getItem('theme');
  } catch {}
  const light = wish ? wish === 'light' : matchMedia('(prefers-color-scheme: light)').matches;
  document.documentElement.dataset.theme = light ? 'light' : 'dark';
})();
