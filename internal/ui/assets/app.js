// Keeps an open page up to date and adds a few keys. Without it everything still
// works, by reloading.
"use strict";
(() => {
  const live = document.getElementById("live");
  const state = (on, text) => { live.dataset.state = on ? "on" : "off"; live.textContent = text; };

  // On narrow screens rows become blocks, and each cell needs its column's name.
  const label = (root) => {
    for (const table of root.querySelectorAll("table.rows")) {
      const names = [...table.querySelectorAll("thead th")].map((th) => th.textContent.trim());
      for (const row of table.tBodies[0]?.rows ?? []) {
        [...row.cells].forEach((cell, i) => { if (names[i] && cell.matches(".num, .lab")) cell.dataset.label = names[i]; });
      }
    }
  };

  const typing = () => ["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement?.tagName);
  let busy = false, again = false;
  const refresh = async () => {
    if (busy) { again = true; return; }
    if (typing() || document.querySelector("details[open]")) { again = true; return; }
    busy = true; again = false;
    try {
      const answer = await fetch(location.href, { credentials: "same-origin" });
      if (!answer.ok) throw new Error(answer.status);
      const next = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
      const main = document.getElementById("main");
      if (next && next.innerHTML !== main.innerHTML) {
        const path = focusPath();
        main.replaceChildren(...next.childNodes);
        label(main);
        restore(path);
        main.classList.remove("fresh"); void main.offsetWidth; main.classList.add("fresh");
      }
      state(true, "live");
    } catch { state(false, "not live"); }
    busy = false;
    if (again) refresh();
  };
  // Focus survives an update: the same link or button is found again.
  const focusPath = () => {
    const at = document.activeElement;
    if (!at || !document.getElementById("main").contains(at)) return null;
    return { tag: at.tagName, name: at.getAttribute("aria-label") || at.getAttribute("href") || at.textContent };
  };
  const restore = (path) => {
    if (!path) return;
    for (const el of document.querySelectorAll("#main " + path.tag)) {
      if ((el.getAttribute("aria-label") || el.getAttribute("href") || el.textContent) === path.name) { el.focus({ preventScroll: true }); return; }
    }
  };

  label(document);
  const source = new EventSource("/events");
  source.onopen = () => { if (live.dataset.state === "off" && live.dataset.seen) refresh(); live.dataset.seen = "1"; state(true, "live"); };
  source.onerror = () => state(false, "server is away");
  source.addEventListener("changed", refresh);
  document.addEventListener("focusout", () => { if (again) setTimeout(refresh, 50); });
  addEventListener("pagehide", () => source.close());

  // Times stay true without asking the server.
  setInterval(() => {
    for (const t of document.querySelectorAll("time[datetime]")) {
      const s = (Date.now() - new Date(t.dateTime)) / 1000;
      t.textContent = s < -60 ? "in the future" : s < 60 ? "just now" : s < 3600 ? Math.floor(s / 60) + " min ago" : s < 172800 ? Math.floor(s / 3600) + " h ago" : Math.floor(s / 86400) + " d ago";
    }
  }, 30000);

  // A filter shows what it finds at once; "/" goes to the search field.
  document.addEventListener("change", (e) => { if (e.target.matches(".filters select, .filters input[type=checkbox]")) e.target.form.requestSubmit(); });
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && !typing()) { const f = document.querySelector("[data-key='/']"); if (f) { e.preventDefault(); f.focus(); } }
  });
})();
