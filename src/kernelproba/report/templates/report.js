"use strict";
(() => {
  const root = document.documentElement;

  // Tabs: a click, or the arrow keys, Home and End as the ARIA authoring practices have it.
  const tabs = [...document.querySelectorAll('[role="tab"]')];
  const select = (tab, focus) => {
    for (const other of tabs) {
      const chosen = other === tab;
      other.setAttribute("aria-selected", String(chosen));
      other.tabIndex = chosen ? 0 : -1;
      document.getElementById(other.getAttribute("aria-controls")).hidden = !chosen;
    }
    if (focus) tab.focus();
    hideTip();
  };
  const step = (items, item, key) => {
    const at = items.indexOf(item), last = items.length - 1;
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last }[key];
    return to === undefined ? null : items[(to + items.length) % items.length];
  };
  for (const tab of tabs) {
    tab.addEventListener("click", () => {
      select(tab, false);
      history.replaceState(null, "", "#" + tab.getAttribute("aria-controls"));
    });
    tab.addEventListener("keydown", (event) => {
      const next = step(tabs, tab, event.key);
      if (next) { event.preventDefault(); select(next, true); }
    });
  }

  // Tooltips: of each figure one mark is in the tab order, and the arrow keys go on to the others.
  // The listeners are the document's, because Chromium lets the Tab key stop at any SVG that has its own.
  const tip = document.getElementById("tip");
  let told = null, byMouse = false;
  function hideTip() { told = null; tip.hidden = true; }
  const placeTip = () => {
    if (!told) return;
    const box = told.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const left = box.left + box.width / 2 - own.width / 2;
    const above = box.top - own.height - 8;
    tip.style.left = Math.max(12, Math.min(left, root.clientWidth - own.width - 12)) + "px";
    tip.style.top = (above < 8 ? box.bottom + 8 : above) + "px";
  };
  const showTip = (mark, mouse) => {
    told = mark;
    byMouse = mouse;
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    placeTip();
  };
  const markOf = (event) => event.target.closest ? event.target.closest("[data-tip]") : null;
  const marksOf = (figure) => [...figure.querySelectorAll("[data-tip]")];
  const enter = (mark) => {
    for (const other of marksOf(mark.closest("svg"))) other.setAttribute("tabindex", other === mark ? "0" : "-1");
  };
  for (const figure of document.querySelectorAll("svg.figure")) {
    if (marksOf(figure).length) enter(marksOf(figure)[0]);
  }
  document.addEventListener("mouseover", (event) => {
    const mark = markOf(event);
    if (mark) showTip(mark, true); else if (byMouse) hideTip();  // a focused mark keeps its tip
  });
  document.addEventListener("focusin", (event) => {
    const mark = markOf(event);
    if (mark) { enter(mark); showTip(mark, false); } else hideTip();
  });
  document.addEventListener("keydown", (event) => {
    const mark = markOf(event);
    const next = mark && step(marksOf(mark.closest("svg")), mark, event.key);
    if (next) { event.preventDefault(); next.focus(); }
    if (event.key === "Escape") hideTip();
  });
  document.addEventListener("scroll", placeTip, { capture: true, passive: true });

  const wanted = tabs.find((tab) => "#" + tab.getAttribute("aria-controls") === location.hash);
  select(wanted || tabs[0], false);
})();
