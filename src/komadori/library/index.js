"use strict";
// Failures first; a click on a heading sorts by it, a second the other way. What is shown comes from DATA alone, as text.
const ORDER = { crashed: 0, failed: 1, waiting: 2, done: 3 };
const head = document.getElementById("head"), body = document.getElementById("rows"), filter = document.getElementById("filter");
let by = 0, down = false, left = [];
const japanese = navigator.language.startsWith("ja");

// Three digits are enough to compare, and nobody reads exponents.
function plain(value) {
  if (Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  return size < 0.0005 ? "0" : size >= 100 ? value.toFixed(0) : String(+value.toPrecision(3));
}

function cell(value) {
  const td = document.createElement("td");
  td.textContent = value === null || value === undefined ? "" : typeof value === "number" ? plain(value) : value;
  return td;
}

// The poster; where there is a film, a button that puts it in the poster's place: a library has thousands, and none is loaded before.
function picture(row) {
  const td = document.createElement("td");
  const still = Object.entries(row.files).find(([name]) => name.endsWith(".png"));
  const film = Object.entries(row.files).find(([name]) => /\.(mp4|webm)$/.test(name));
  const drawn = row.poster ? "data:image/svg+xml," + encodeURIComponent(row.poster.replace("currentColor", "#0072b2")) : "";
  const image = document.createElement("img");
  image.loading = "lazy";
  image.alt = "";
  image.src = still ? still[1] : drawn;
  if (!film) {
    if (image.getAttribute("src")) td.append(image);
    return td;
  }
  const button = document.createElement("button");
  button.title = button.ariaLabel = (japanese ? "再生：" : "play ") + row.values[1];
  if (image.getAttribute("src")) button.append(image);
  button.addEventListener("click", () => {
    const video = document.createElement("video");
    video.src = film[1]; video.controls = true; video.muted = true; video.loop = true; video.autoplay = true;
    button.replaceWith(video);
    video.focus();
  });
  td.append(button);
  return td;
}

function shown(row) {
  const tr = document.createElement("tr");
  tr.className = row.values[0];
  const status = cell(japanese ? DATA.status[row.values[0]] : row.values[0]);
  const clip = cell(row.values[1]);
  clip.title = row.notes.join("\n");
  const links = document.createElement("div");
  links.className = "links";
  for (const [name, address] of Object.entries(row.files)) {
    const a = document.createElement("a");
    a.href = address;
    a.textContent = name.slice(name.lastIndexOf(".") + 1);
    links.append(a);
  }
  clip.append(links);
  tr.append(picture(row), status, clip);
  if (row.error) {
    const error = cell(null), line = document.createElement("p");
    error.className = "error";
    // The row is as wide as the table, which may be wider than the window: the line wraps within what is seen.
    line.textContent = japanese && row.error_ja ? row.error_ja : row.error;
    error.append(line);
    error.colSpan = row.values.length - 2;
    tr.append(error);
  } else {
    tr.append(...row.values.slice(2).map(cell));
  }
  return tr;
}

function compared(a, b) {
  let x = a.values[by], y = b.values[by];
  if (by === 0) { x = ORDER[x]; y = ORDER[y]; }
  // What has no value stands last, whichever way.
  if (x === null || x === undefined) return y === null || y === undefined ? 0 : 1;
  if (y === null || y === undefined) return -1;
  const sign = typeof x === "number" ? x - y : String(x).localeCompare(String(y));
  return down ? -sign : sign;
}

// Rows are made as they come into view: a library has thousands.
function more() {
  body.append(...left.splice(0, 200).map(shown));
}

function draw() {
  const word = filter.value.toLowerCase();
  const rows = DATA.rows.filter((row) => (row.values[1] + " " + row.error).toLowerCase().includes(word));
  rows.sort((a, b) => compared(a, b) || String(a.values[1]).localeCompare(String(b.values[1])));
  left = rows;
  body.replaceChildren();
  more();
  [...head.children].forEach((th, n) => th.setAttribute("aria-sort", n - 1 === by ? (down ? "descending" : "ascending") : "none"));
  again();
}

head.append(document.createElement("th"));
if (japanese) {
  document.documentElement.lang = "ja";
  document.title = document.querySelector("h1").textContent = DATA.title;
  filter.placeholder = filter.ariaLabel = "絞り込み";
}
DATA.columns.forEach(([, english, other], n) => {
  const th = document.createElement("th");
  th.textContent = japanese ? other : english;
  th.tabIndex = 0;
  const choose = () => { down = by === n ? !down : false; by = n; draw(); };
  th.addEventListener("click", choose);
  th.addEventListener("keydown", (event) => { if (event.key === "Enter") choose(); });
  head.append(th);
});
const end = document.querySelector("footer");
const watch = new IntersectionObserver((seen) => { if (left.length && seen.at(-1).isIntersecting) { more(); again(); } }, { rootMargin: "1500px" });

// It tells of changes only: an end that is still in view below the new rows has to be looked at anew.
function again() {
  watch.unobserve(end);
  watch.observe(end);
}

filter.addEventListener("input", draw);
draw();
