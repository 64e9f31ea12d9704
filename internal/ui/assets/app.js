// Keeps an open page up to date and adds a few keys. Without it everything still
// works, by reloading.
"use strict";
(() => {
  const live = document.getElementById("live");
  const show = (on, text) => { live.dataset.state = on ? "on" : "off"; if (live.textContent !== text) live.textContent = text; };
  document.documentElement.classList.add("js");

  // Times are shown by the clock of the browser, recent ones with how long ago that is.
  const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" }), year = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
  const hours = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
  const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long" });
  const clock = (root) => {
    const now = new Date();
    for (const t of root.querySelectorAll("time[datetime]")) {
      const at = new Date(t.dateTime), s = (now - at) / 1000;
      if (t.dataset.day !== undefined) { t.textContent = year.format(at); continue; }
      const ago = t.dataset.plain !== undefined ? "" : s < -60 ? "in the future" : s < 60 ? "just now" : s < 3600 ? Math.floor(s / 60) + " min ago" : s < 43200 ? Math.floor(s / 3600) + " h ago" : "";
      const date = at.toDateString() === now.toDateString() ? "" : (at.getFullYear() === now.getFullYear() ? day : year).format(at) + " ";
      const text = date + hours.format(at) + (ago ? " · " + ago : "");
      if (t.textContent !== text) t.textContent = text;
      t.title = full.format(at);
    }
  };
  const ready = (root) => { clock(root); for (const b of root.querySelectorAll(".copy")) b.hidden = false; };

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
        ready(main);
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

  ready(document);
  document.addEventListener("focusout", () => setTimeout(caughtUp, 50));
  document.addEventListener("toggle", caughtUp, true);
  document.addEventListener("visibilitychange", caughtUp);

  // Times stay true without asking the server, also after the machine has slept.
  setInterval(() => clock(document), 30000);
  document.addEventListener("visibilitychange", () => clock(document));

  document.addEventListener("click", async (e) => {
    const b = e.target.closest(".copy");
    if (!b) return;
    try { await navigator.clipboard.writeText(b.dataset.copy); b.textContent = "copied"; } catch { b.textContent = "not copied"; }
    setTimeout(() => { b.textContent = "copy"; }, 1500);
  });

  // A filter shows what it finds at once. "/" goes to the search field, "j" and "k" to the
  // next and the previous row.
  document.addEventListener("change", (e) => { if (e.target.matches(".filters select")) e.target.form.requestSubmit(); });
  document.addEventListener("keydown", (e) => {
    if (typing() || e.ctrlKey || e.metaKey || e.altKey) return;
    const rows = [...document.querySelectorAll("main [data-row]")].filter((r) => r.checkVisibility());
    const step = { j: 1, k: -1 }[e.key];
    const to = e.key === "/" ? document.querySelector("[data-key='/']") : step && rows[Math.min(Math.max(rows.indexOf(document.activeElement) + step, 0), rows.length - 1)];
    if (to) { e.preventDefault(); to.focus(); to.scrollIntoView({ block: "nearest" }); }
  });
})();
