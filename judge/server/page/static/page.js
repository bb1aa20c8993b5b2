// Everything works without this file; with it, tests come in as they are run, and times are those of the visitor's zone.
"use strict";

const two = (number) => String(number).padStart(2, "0");

function localTimes(root) {
  for (const one of root.querySelectorAll("time[datetime]")) {
    const then = new Date(one.dateTime);
    if (one.title || Number.isNaN(then.getTime())) continue;
    one.title = one.textContent;
    one.textContent =
      `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())} ` +
      `${two(then.getHours())}:${two(then.getMinutes())}:${two(then.getSeconds())}`;
  }
}

// The same page as the server makes it now; null where it does not answer.
async function again() {
  try {
    const answer = await fetch(location.href, { credentials: "same-origin" });
    if (!answer.ok || answer.redirected) return null;
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    return null;
  }
}

// A judgement that is being made: rows of its table, a line about it, and at the end the page as it is then.
function follow(state) {
  const rows = document.getElementById("tests");
  const events = new EventSource(state.dataset.events);
  events.onopen = () => rows?.replaceChildren(); // all is told again
  events.addEventListener("anew", () => rows?.replaceChildren());
  events.addEventListener("test", (event) => {
    const made = new DOMParser().parseFromString(`<table><tbody>${event.data}</tbody></table>`, "text/html");
    for (const row of made.querySelectorAll("tr")) {
      row.classList.add("fresh");
      rows?.append(row);
    }
    const box = rows?.closest(".live");
    if (box && box.scrollHeight - box.scrollTop - box.clientHeight < 200) box.scrollTop = box.scrollHeight;
  });
  events.addEventListener("progress", (event) => {
    const progress = document.getElementById("progress");
    if (progress) [progress.value, progress.max] = event.data.split(" ").map(Number);
  });
  events.addEventListener("state", (event) => {
    state.textContent = event.data;
  });
  events.addEventListener("done", async () => {
    events.close();
    const made = await again();
    if (made === null) return location.reload();
    const said = made.getElementById("state");
    const main = document.getElementById("main");
    const fresh = made.getElementById("main");
    localTimes(fresh);
    copying(fresh);
    // The line itself stays: a screen reader tells of a change in it, not of a new one.
    state.textContent = said.textContent;
    delete state.dataset.events;
    said.replaceWith(state);
    const held = main.contains(document.activeElement);
    main.replaceChildren(...fresh.childNodes);
    if (held) main.focus({ preventScroll: true });
    document.title = made.title;
  });
}

// A part of a page that changes by itself.
function refresh(part) {
  setTimeout(async () => {
    const made = document.hidden ? null : await again();
    const fresh = made?.getElementById(part.id);
    if (!fresh) return refresh(part);
    localTimes(fresh);
    part.replaceWith(fresh);
    if (fresh.dataset.refresh) refresh(fresh);
    else location.reload();
  }, 1000 * Number(part.dataset.refresh));
}

// An input is asked for only where there is no problem. Tab stays the key that leaves a field.
function submitting(form) {
  const problem = form.elements.problem;
  const stdin = form.querySelector("[data-stdin]");
  const show = () => {
    stdin.hidden = problem.value.trim() !== "";
  };
  problem.addEventListener("input", show);
  show();
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}

// Buttons that copy a text: that on the page, or, where it is only the beginning, all of it.
function copying(root) {
  for (const button of root.querySelectorAll("[data-copy]")) {
    button.hidden = !navigator.clipboard; // a browser allows it on this machine, and over HTTPS
    button.addEventListener("click", async () => {
      const { copy, whole, done } = button.dataset;
      const text = whole ? await (await fetch(whole)).text() : document.getElementById(copy).textContent;
      await navigator.clipboard.writeText(text);
      button.textContent = done;
    });
  }
}

localTimes(document);
copying(document);
for (const state of document.querySelectorAll("[data-events]")) follow(state);
for (const part of document.querySelectorAll("[data-refresh]")) refresh(part);
for (const form of document.querySelectorAll("[data-submit]")) submitting(form);
