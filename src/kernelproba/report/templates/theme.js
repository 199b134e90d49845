"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");

  // Theme: the system's until the reader chooses; the choice is kept where the browser allows it.
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
  const name = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  const recall = () => { try { return localStorage.getItem("kernelproba-theme"); } catch { return null; } };
  const keep = (theme) => { try { localStorage.setItem("kernelproba-theme", theme); } catch { /* not allowed */ } };
  if (["light", "dark"].includes(recall())) root.dataset.theme = recall();
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    keep(root.dataset.theme);
    name();
  });
  system.addEventListener("change", name);
  name();
})();
