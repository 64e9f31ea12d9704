// Keeps an open page up to date and adds a few keys. Without it everything still
// works, by reloading.
"use strict";
(() => {
  const live = document.getElementById("live");
  const show = (on, text) => { live.dataset.state = on ? "on" : "off"; if (live.textContent !== text) live.textContent = text; };
  document.documentElement.classList.add("js");

  // On narrow screens rows become blocks, and each cell needs its column's name.
  const label = (root) => {
    for (const table of root.querySelectorAll("table.rows")) {
      const names = [...table.querySelectorAll("thead th")].map((th) => th.textContent.trim());
      for (const row of table.tBodies[0]?.rows ?? []) {
        [...row.cells].forEach((cell, i) => { if (names[i] && cell.matches(".num, .lab")) cell.dataset.label = names[i]; });
      }
    }
  };

  // An update waits while someone types, has opened details, or looks elsewhere.
  const typing = () => ["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement?.tagName);
  const engaged = () => typing() || document.hidden || document.querySelector("main details[open]");
  let busy = false, again = false;
  const refresh = async () => {
    if (busy || engaged()) { again = true; return; }
    busy = true; again = false;
    try {
      const answer = await fetch(location.href, { credentials: "same-origin" });
      if (answer.status === 403) { show(false, "closed: open the address that gauntlet ui printed"); busy = false; return; }
      const next = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
      const main = document.getElementById("main");
      if (next && next.innerHTML !== main.dataset.seen) {
        main.dataset.seen = next.innerHTML;
        const path = focusPath();
        main.replaceChildren(...next.childNodes);
        label(main);
        restore(path);
        main.classList.remove("fresh"); void main.offsetWidth; main.classList.add("fresh");
        document.getElementById("news").textContent = "Updated at " + new Date().toLocaleTimeString();
      }
    } catch { show(false, "server is away"); }
    busy = false;
    if (again) refresh();
  };
  const caughtUp = () => { if (again) refresh(); };
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

  // A browser opens six connections to a server and no more. So one tab listens and
  // tells the others; when it is closed, the next one takes over.
  const tabs = "BroadcastChannel" in window && navigator.locks ? new BroadcastChannel("gauntlet") : null;
  let state = "", listening = false;
  const hear = (news) => {
    if (news === "changed") { refresh(); return; }
    const away = state === "away";
    state = news;
    show(news === "live", news === "live" ? "live" : "server is away");
    if (news === "live" && away) refresh(); // what happened meanwhile
  };
  const tell = (news) => { hear(news); tabs?.postMessage(news); };
  const listen = (wait) => {
    listening = true;
    const source = new EventSource("/events");
    source.onopen = () => { wait = 1000; tell("live"); };
    source.addEventListener("changed", () => tell("changed"));
    source.onerror = () => {
      tell("away");
      if (source.readyState !== EventSource.CLOSED) return; // it tries again by itself
      setTimeout(() => listen(Math.min(wait * 2, 60000)), wait); // refused: too many pages, or another server
      refresh(); // says so when this page's token is not valid any more
    };
    addEventListener("pagehide", () => source.close());
  };
  if (tabs) {
    tabs.onmessage = (e) => { if (e.data !== "hello") hear(e.data); else if (listening && state) tabs.postMessage(state); };
    tabs.postMessage("hello");
    navigator.locks.request("gauntlet-events", () => { listen(1000); return new Promise(() => {}); }).catch(() => listen(1000));
  } else listen(1000);

  label(document);
  document.addEventListener("focusout", () => setTimeout(caughtUp, 50));
  document.addEventListener("toggle", caughtUp, true);
  document.addEventListener("visibilitychange", caughtUp);

  // Times stay true without asking the server, also after the machine has slept.
  const tick = () => {
    for (const t of document.querySelectorAll("time[datetime]:not([data-fixed])")) {
      const s = (Date.now() - new Date(t.dateTime)) / 1000;
      t.textContent = s < -60 ? "in the future" : s < 60 ? "just now" : s < 3600 ? Math.floor(s / 60) + " min ago" : s < 172800 ? Math.floor(s / 3600) + " h ago" : Math.floor(s / 86400) + " d ago";
    }
  };
  setInterval(tick, 30000);
  document.addEventListener("visibilitychange", tick);

  // A filter shows what it finds at once; "/" goes to the search field.
  document.addEventListener("change", (e) => { if (e.target.matches(".filters select, .filters input[type=checkbox]")) e.target.form.requestSubmit(); });
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && !typing() && !e.ctrlKey && !e.metaKey && !e.altKey) { const f = document.querySelector("[data-key='/']"); if (f) { e.preventDefault(); f.focus(); } }
  });
})();
