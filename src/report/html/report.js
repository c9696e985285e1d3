/*
 * report.js - draws the pictures of an HTML report (html_map.c) and answers to pointing, keys and buttons.
 *
 * The data is what html_data.c writes. All pictures share one span of time, `view`; the maps share one
 * selected stay. A picture is a canvas that is drawn again whenever its size, the colours or the view change.
 */
(function () {
'use strict';

const element = id => document.getElementById(id);
const text = (tag, content, className) => {
  const made = document.createElement(tag);
  made.textContent = content;
  if (className) made.className = className;
  return made;
};

/* ---- Navigation ------------------------------------------------------------------------------ */

for (const heading of document.querySelectorAll('section > h2')) {
  const link = text('a', heading.textContent);
  link.href = '#' + heading.parentElement.id;
  element('nav').append(link);
}

if (!element('data')) return;
const data = JSON.parse(element('data').textContent);

/* ---- The data -------------------------------------------------------------------------------- */

const owners = data.owners.map(([name, kind, number, process, size, pageIns, evictions, moveIn, moveOut, uses, writes], index) =>
  ({name, kind, number, process, size, pageIns, evictions, in: moveIn, out: moveOut, uses, writes, index, stays: []}));
const stays = data.stays.map(([owner, segment, size, begin, end, came, why, from, left, whyLeft, to, plan, planLeft, uses, writes,
  firstWrite, binNs, floats, scattered, pages, used, written], index) => {
  const stay = {owner: owners[owner], segment, size, begin, end, came, why, from, left, whyLeft, to, plan, planLeft, uses, writes,
    firstWrite, binNs, floats, scattered, used, written, index, parts: []};
  for (let i = 0; i < pages.length; i += 2)
    stay.parts.push({from: pages[i] * data.page, to: (pages[i] + pages[i + 1]) * data.page});
  stay.owner.stays.push(stay);
  return stay;
});
const segments = data.segments;
for (const segment of segments) segment.stays = stays.filter(stay => stay.segment === segment.id);
const segmentById = new Map(segments.map(segment => [segment.id, segment]));
const end = Math.max(data.ns, 1);

/* ---- Words ----------------------------------------------------------------------------------- */

function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (value >= 1023.95 && unit < units.length - 1) { value /= 1024; unit++; }
  return (unit === 0 ? value : value.toFixed(1)) + ' ' + units[unit];
}
function time(ns) {
  if (ns >= 1e10) return (ns / 1e9).toFixed(2) + ' s';
  if (ns >= 1e6) return (ns / 1e6).toFixed(2) + ' ms';
  return (ns / 1e3).toFixed(1) + ' us';
}
const count = value => value.toLocaleString('en');
const times = value => value === 1 ? 'once' : count(value) + ' times';
function place(segment) {
  if (segment === 0) return 'system memory';
  const known = segmentById.get(segment);
  return 'segment ' + segment + (known ? known.memory ? ' (GPU memory)' : ' (aperture)' : '');
}
const processName = id => {
  const known = data.processes.find(process => process.id === id);
  return id === 0 ? 'no process (the system, or physical addresses)' : known && known.others ? 'process ' + id + ' or a later one' : 'process ' + id;
};
const reasonWords = {
  requested: 'the request references or names it', promoted: 'promoted to the segment that it prefers',
  repacked: 'moved to make room for others of the same request', policy: 'the policy of eviction chose it',
  offered: 'it was offered: its content was not kept', over_budget: 'its process held more than its budget',
  listed: 'evicted though a device lists it: the request did not fit otherwise', swept: 'everything was evicted',
};
const because = reason => reasonWords[data.reasons[reason]] || data.reasons[reason];
function leftWords(stay) {
  const word = data.lefts[stay.left];
  if (stay.left >= data.reasons.length) return word;
  return 'left for ' + place(stay.to) + ': ' + because(stay.left) + ' (plan: ' + data.plans[stay.whyLeft] + ')';
}
/* Stays that ended by the plan by which this one began, in its place if some did; and the reverse. */
const overlap = (a, b) => a.parts.some(x => b.parts.some(y => x.from < y.to && y.from < x.to));
function chosen(stay, others) {
  const same = others.filter(other => overlap(stay, other));
  return same.length ? same : others;
}
const leftFor = stay => chosen(stay, segmentById.get(stay.segment).stays.filter(other =>
  other.planLeft !== 0 && other.planLeft === stay.plan && other.end === stay.begin && other.owner !== stay.owner));
const cameFor = stay => stay.planLeft === 0 ? [] : chosen(stay, segmentById.get(stay.segment).stays.filter(other =>
  other.plan === stay.planLeft && other.begin === stay.end && other.owner !== stay.owner));
function names(list) {
  const all = [...new Set(list.map(stay => stay.owner.name + ' (' + bytes(stay.size) + ')'))];
  return all.length > 6 ? all.slice(0, 5).join(', ') + ' and ' + (all.length - 5) + ' more' : all.join(', ');
}
const offset = stay => stay.floats ? 'no range of the segment' :
  bytes(stay.parts[0].from) + (stay.scattered > 1 ? ', in ' + stay.scattered + ' parts' : '');

/* ---- Colours --------------------------------------------------------------------------------- */

const hues = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#b3a100', '#7a6fb5', '#8c5a3c', '#5f9e9b'];
const themes = {
  light: {paper: '#ffffff', free: '#eceef1', ink: '#1a1d21', soft: '#555d66', grid: '#d5d9de', clean: '#9fb4c7',
    merged: '#7b838b', dirt: ['#f5b48a', '#e5793a', '#b34700', '#702d00'],
    heat: ['#c9d3dd', '#8ba8c4', '#e3c65b', '#e08214', '#a63603']},
  dark: {paper: '#14171a', free: '#23282d', ink: '#f2f4f6', soft: '#a3acb5', grid: '#363d44', clean: '#4d6478',
    merged: '#8b949d', dirt: ['#8a4a22', '#c4682c', '#f0803c', '#ffb787'],
    heat: ['#39444f', '#4f7196', '#a8933a', '#ee8a2a', '#ffd28a']},
};
const dark = window.matchMedia('(prefers-color-scheme: dark)');
let printing = false;
const theme = () => dark.matches && !printing ? themes.dark : themes.light;
/* Neighbours in number differ in hue; each round through the hues is lighter or darker. */
function shade(hex, step) {
  const channels = [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));
  const goal = step > 0 ? 255 : 0, share = Math.abs(step);
  return 'rgb(' + channels.map(channel => Math.round(channel + (goal - channel) * share)).join(',') + ')';
}
const shades = [0, 0.3, -0.22, 0.5];
function ownerColour(owner) {
  if (owner.name === 'buffer of the system') return theme().merged;
  const id = owner.number || owner.index;
  return shade(hues[id % hues.length], shades[Math.floor(id / hues.length) % shades.length]);
}
const processColour = id => id === 0 ? theme().merged : hues[(id - 1) % hues.length];
const level = (ramp, share) => ramp[Math.min(ramp.length - 1, Math.max(0, Math.floor(share * ramp.length)))];

let mode = 'allocation';
const busiest = Math.max(1, ...stays.map(stay => stay.uses / Math.max(1, Math.ceil((stay.end - stay.begin) / (16 * data.quantum)))));
/* Uses of a stretch of time to a share of the warmest, by doublings. */
const warmth = (uses, ns) => {
  const rate = uses / Math.max(1, ns / (16 * data.quantum));
  return rate <= 0 ? 0 : Math.min(0.999, 0.2 + 0.8 * Math.log2(1 + rate) / Math.log2(1 + busiest));
};
const binCount = character => character === undefined || character === '0' ? 0 : 1.5 * 2 ** (character.charCodeAt(0) - 49);
function wholeColour(stay) {
  if (mode === 'allocation') return ownerColour(stay.owner);
  if (mode === 'process') return processColour(stay.owner.process);
  if (mode === 'heat') return level(theme().heat, warmth(stay.uses, stay.end - stay.begin));
  return stay.writes === 0 ? theme().clean : level(theme().dirt, Math.log2(1 + stay.writes) / 8);
}
/* What is drawn over a stay in stretches of time: [from, to, colour]. */
function stretches(stay) {
  if (mode !== 'heat' && mode !== 'dirt') return [];
  const list = [];
  let writes = 0;
  for (let at = stay.begin, bin = 0; at < stay.end && bin < 32; at += stay.binNs, bin++) {
    writes += binCount(stay.written[bin]);
    const colour = mode === 'heat' ? level(theme().heat, warmth(binCount(stay.used[bin]), stay.binNs)) :
      writes === 0 ? theme().clean : level(theme().dirt, Math.log2(1 + writes) / 8);
    const last = list[list.length - 1];
    if (last && last[2] === colour) last[1] = at + stay.binNs;
    else list.push([at, at + stay.binNs, colour]);
  }
  if (list.length) list[list.length - 1][1] = stay.end;
  return list;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

const view = {from: 0, to: end};
let selected = null, hovered = null;
const left = 68, right = 10, top = 8, bottom = 26;

/* A canvas with its size in CSS pixels, cleared, and the plot's box. */
function prepare(canvas) {
  const ratio = printing ? 2 : window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = theme().paper;
  context.fillRect(0, 0, width, height);
  context.font = '12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
  return {context, x: left, y: top, width: Math.max(1, width - left - right), height: Math.max(1, height - top - bottom)};
}
const timeX = (plot, ns) => plot.x + (ns - view.from) / (view.to - view.from) * plot.width;
const xTime = (plot, x) => view.from + (x - plot.x) / plot.width * (view.to - view.from);

function niceStep(span, most) {
  const rough = span / most, power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= rough);
}
function byteStep(span, most) {
  let step = 1;
  while (step < span / most) step *= 2;
  return step;
}
/* "12 MiB": as few digits as the step needs. */
function tickBytes(value) {
  return value === 0 ? '0' : bytes(value).replace('.0 ', ' ');
}
function timeUnit(step) {
  return step >= 1e9 ? [1e9, 's'] : step >= 1e6 || view.to >= 1e7 ? [1e6, 'ms'] : [1e3, 'us'];
}
function timeAxis(plot) {
  const {context} = plot, step = niceStep(view.to - view.from, Math.max(2, plot.width / 110));
  const [unit, name] = timeUnit(step);
  const digits = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));
  context.textBaseline = 'top';
  context.textAlign = 'center';
  for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
    const x = timeX(plot, at), label = (at / unit).toFixed(digits) + ' ' + name;
    context.strokeStyle = theme().grid;
    context.beginPath();
    context.moveTo(Math.round(x) + 0.5, plot.y + plot.height);
    context.lineTo(Math.round(x) + 0.5, plot.y + plot.height + 5);
    context.stroke();
    context.fillStyle = theme().soft;
    const half = context.measureText(label).width / 2;
    context.fillText(label, Math.min(x, plot.x + plot.width + right - half), plot.y + plot.height + 8);
  }
}
function byteAxis(plot, low, high, yOf) {
  const {context} = plot, step = byteStep(high - low, Math.max(2, plot.height / 44));
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) {
    const y = Math.round(yOf(at)) + 0.5;
    context.strokeStyle = theme().grid;
    context.beginPath();
    context.moveTo(plot.x - 5, y);
    context.lineTo(plot.x, y);
    context.stroke();
    context.fillStyle = theme().soft;
    context.fillText(tickBytes(Math.abs(at)), plot.x - 8, y);
  }
}
/* Resets and stages: dashed lines, with their names where there is room. */
function drawMarks(plot, named) {
  const {context} = plot;
  let free = plot.x;
  context.save();
  context.setLineDash([3, 3]);
  context.textAlign = 'left';
  context.textBaseline = 'top';
  for (const [ns, name] of data.marks) {
    if (ns < view.from || ns > view.to) continue;
    const x = Math.round(timeX(plot, ns)) + 0.5, width = context.measureText(name).width + 8;
    context.strokeStyle = theme().soft;
    context.beginPath();
    context.moveTo(x, plot.y);
    context.lineTo(x, plot.y + plot.height);
    context.stroke();
    if (!named || x < free || x + width > plot.x + plot.width) continue;
    context.globalAlpha = 0.85;
    context.fillStyle = theme().paper;
    context.fillRect(x + 1, plot.y + 1, width - 2, 16);
    context.globalAlpha = 1;
    context.fillStyle = theme().ink;
    context.fillText(name, x + 4, plot.y + 3);
    free = x + width;
  }
  context.restore();
}

const byteY = (plot, segment, at) => plot.y + plot.height - at / Math.max(1, segment.size) * plot.height;
function stayBoxes(plot, segment, stay) {
  const x = Math.max(plot.x, timeX(plot, stay.begin)), far = Math.min(plot.x + plot.width, timeX(plot, stay.end));
  return stay.parts.map(part => {
    const y = byteY(plot, segment, part.to);
    return {x, y, width: Math.max(0.75, far - x), height: Math.max(0.75, byteY(plot, segment, part.from) - y)};
  });
}
const inView = stay => stay.end >= view.from && stay.begin <= view.to;

function drawStay(plot, segment, stay) {
  const {context} = plot, parts = stretches(stay);
  for (const box of stayBoxes(plot, segment, stay)) {
    context.fillStyle = wholeColour(stay);
    context.fillRect(box.x, box.y, box.width, box.height);
    for (const [from, to, colour] of box.width < 4 ? [] : parts) {
      const x = Math.max(box.x, timeX(plot, from)), far = Math.min(box.x + box.width, timeX(plot, to));
      context.fillStyle = colour;
      if (far > x) context.fillRect(x, box.y, far - x, box.height);
    }
    if (box.width < 5 || box.height < 5) continue;
    context.strokeStyle = theme().paper; /* neighbours of one colour stay apart */
    context.lineWidth = 1;
    context.strokeRect(box.x + 0.25, box.y + 0.25, box.width - 0.5, box.height - 0.5);
  }
}
function outline(plot, segment, stay, width, dash) {
  const {context} = plot;
  context.save();
  context.setLineDash(dash);
  for (const box of stayBoxes(plot, segment, stay)) {
    context.lineWidth = width + 2;
    context.strokeStyle = theme().paper;
    context.strokeRect(box.x, box.y, Math.max(1, box.width), Math.max(1, box.height));
    context.lineWidth = width;
    context.strokeStyle = theme().ink;
    context.strokeRect(box.x, box.y, Math.max(1, box.width), Math.max(1, box.height));
  }
  context.restore();
}
function drawMerged(plot, segment) {
  const {context} = plot, rows = segment.grid || [];
  context.fillStyle = theme().merged;
  rows.forEach((row, at) => {
    const low = byteY(plot, segment, at * segment.rowBytes), high = byteY(plot, segment, (at + 1) * segment.rowBytes);
    for (let i = 0; i < row.length; i++) {
      const share = Number(row[i]), x = timeX(plot, i * data.quantum), far = timeX(plot, (i + 1) * data.quantum);
      if (share === 0 || far < plot.x || x > plot.x + plot.width) continue;
      context.globalAlpha = 0.2 + 0.06 * share;
      context.fillRect(Math.max(x, plot.x), Math.max(high, plot.y), Math.min(far, plot.x + plot.width) - Math.max(x, plot.x), low - Math.max(high, plot.y));
    }
  });
  context.globalAlpha = 1;
}
function drawMap(canvas) {
  const segment = segmentById.get(Number(canvas.dataset.segment)), plot = prepare(canvas), {context} = plot;
  context.fillStyle = theme().free;
  context.fillRect(plot.x, plot.y, plot.width, plot.height);
  context.save();
  context.beginPath();
  context.rect(plot.x, plot.y, plot.width, plot.height);
  context.clip();
  drawMerged(plot, segment);
  for (const stay of segment.stays) if (inView(stay)) drawStay(plot, segment, stay);
  drawMarks(plot, true);
  const shown = selected || hovered;
  if (shown) {
    for (const stay of shown.owner.stays)
      if (stay.segment === segment.id && stay !== shown && inView(stay)) outline(plot, segment, stay, 1, []);
    if (shown.segment === segment.id) {
      for (const stay of leftFor(shown)) outline(plot, segment, stay, 1.5, [4, 3]);
      outline(plot, segment, shown, 2.5, []);
    }
  }
  if (hovered && hovered !== shown && hovered.segment === segment.id) outline(plot, segment, hovered, 1.5, []);
  context.restore();
  byteAxis(plot, 0, segment.size, at => byteY(plot, segment, at));
  timeAxis(plot);
  drawBrush(canvas, plot);
}

/* ---- Figures over time ----------------------------------------------------------------------- */

let cursor = null; /* {canvas, column} */
const columns = data.moved.length;
const segmentColour = segment => hues[(segment.id - 1) % hues.length];
const charts = {
  residency: {
    series: segments.map(segment => ({name: 'segment ' + segment.id + (segment.memory ? ' (GPU memory)' : ' (aperture)'),
      colour: segmentColour(segment), values: segment.used, limit: segment.memory ? segment.size : 0})),
  },
  processes: {
    series: data.processes.map(process => ({name: process.id === 0 ? 'the system, or no process' : processName(process.id),
      colour: processColour(process.id), values: process.resident, limit: 0})),
  },
  moved: {
    series: [{name: 'into GPU memory', colour: hues[0], values: data.moved.map(one => one[0])},
      {name: 'out of GPU memory', colour: hues[5], values: data.moved.map(one => -one[1])}],
    bars: true,
  },
};
const columnX = (plot, column) => timeX(plot, column * data.quantum);
function chartRange(chart) {
  const values = chart.series.flatMap(one => one.values), limits = chart.series.map(one => one.limit || 0);
  const high = Math.max(1, ...limits, values.reduce((most, value) => Math.max(most, value), 0));
  return [values.reduce((least, value) => Math.min(least, value), 0) * 1.05, high * 1.05];
}
function drawLine(plot, one, yOf) {
  const {context} = plot;
  context.strokeStyle = context.fillStyle = one.colour;
  context.lineWidth = 2;
  context.beginPath();
  one.values.forEach((value, column) => {
    const y = yOf(value);
    if (column === 0) context.moveTo(columnX(plot, 0), y);
    else context.lineTo(columnX(plot, column), y);
    context.lineTo(Math.min(columnX(plot, column + 1), timeX(plot, end)), y);
  });
  context.stroke();
  if (!one.limit) return;
  context.setLineDash([6, 4]);
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(plot.x, yOf(one.limit));
  context.lineTo(plot.x + plot.width, yOf(one.limit));
  context.stroke();
  context.setLineDash([]);
}
function drawBars(plot, one, yOf) {
  const {context} = plot;
  context.fillStyle = one.colour;
  one.values.forEach((value, column) => {
    const x = columnX(plot, column), y = yOf(value), zero = yOf(0);
    if (value !== 0) context.fillRect(x, Math.min(y, zero), Math.max(1, columnX(plot, column + 1) - x - 0.3), Math.abs(zero - y));
  });
}
function drawChart(canvas) {
  const chart = charts[canvas.dataset.chart], plot = prepare(canvas), {context} = plot, [low, high] = chartRange(chart);
  const yOf = value => plot.y + plot.height - (value - low) / (high - low) * plot.height;
  context.fillStyle = theme().free;
  context.fillRect(plot.x, plot.y, plot.width, plot.height);
  context.save();
  context.beginPath();
  context.rect(plot.x, plot.y, plot.width, plot.height);
  context.clip();
  for (const one of chart.series) (chart.bars ? drawBars : drawLine)(plot, one, yOf);
  drawMarks(plot, false);
  context.strokeStyle = theme().ink;
  context.lineWidth = 1;
  if (cursor) {
    const x = Math.round(columnX(plot, cursor.column + 0.5)) + 0.5;
    context.beginPath();
    context.moveTo(x, plot.y);
    context.lineTo(x, plot.y + plot.height);
    context.stroke();
  }
  context.restore();
  byteAxis(plot, low, high, yOf);
  timeAxis(plot);
  drawBrush(canvas, plot);
}
function chartTip(canvas, column) {
  const lines = [time(column * data.quantum) + ' to ' + time(Math.min(end, (column + 1) * data.quantum))];
  for (const one of charts[canvas.dataset.chart].series) lines.push(one.name + ': ' + bytes(Math.abs(one.values[column])));
  const [, , pageIns, evictions, submissions] = data.moved[column];
  lines.push(count(submissions) + ' submissions, ' + count(pageIns) + ' page-ins, ' + count(evictions) + ' evictions');
  return lines.join('\n');
}

/* ---- Legends --------------------------------------------------------------------------------- */

function legendEntry(name, colour, wide) {
  const entry = document.createElement('span'), key = document.createElement('i');
  key.className = wide ? 'key wide' : 'key';
  key.style.background = colour;
  entry.append(key, name);
  return entry;
}
const steps = ramp => 'linear-gradient(to right, ' +
  ramp.map((colour, at) => colour + ' ' + at * 100 / ramp.length + '%, ' + colour + ' ' + (at + 1) * 100 / ramp.length + '%').join(', ') + ')';
function drawLegend() {
  const legend = element('legend'), list = [];
  if (mode === 'allocation') {
    list.push('Each allocation keeps its colour; colours repeat.');
  } else if (mode === 'process') {
    const there = [...new Set(stays.map(stay => stay.owner.process))].sort((a, b) => a - b);
    for (const id of there) list.push(legendEntry(processName(id), processColour(id)));
  } else if (mode === 'heat') {
    list.push(legendEntry('uses by submissions: none to most, by doublings', steps(theme().heat), true));
  } else {
    list.push(legendEntry('not written since it came', theme().clean));
    list.push(legendEntry('written: once to most', steps(theme().dirt), true));
  }
  list.push(legendEntry('free', theme().free));
  if (segments.some(segment => segment.merged)) list.push(legendEntry('merged smaller stays', theme().merged));
  legend.replaceChildren(...list);
}
function drawChartLegends() {
  for (const legend of document.querySelectorAll('[data-legend]')) {
    const chart = charts[legend.dataset.legend];
    legend.replaceChildren(...chart.series.map(one => legendEntry(one.name, one.colour)));
    if (chart.series.some(one => one.limit)) legend.append('dashed: size of the segment');
  }
}

/* ---- What is told ---------------------------------------------------------------------------- */

function stayTip(stay) {
  const lines = [stay.owner.name + ', ' + bytes(stay.size), 'since ' + time(stay.begin) + ', for ' + time(stay.end - stay.begin)];
  lines.push('came: ' + because(stay.came));
  const gone = leftFor(stay);
  if (gone.length) lines.push('for it left ' + names(gone));
  return lines.join('\n');
}
function fact(list, name, value) {
  if (value === '') return;
  const one = document.createElement('div');
  one.append(text('dt', name), text('dd', value));
  list.append(one);
}
function tellDetail() {
  const detail = element('detail');
  if (!selected) {
    detail.replaceChildren(text('p', 'Nothing is selected.', 'hint'));
    return;
  }
  const stay = selected, owner = stay.owner, facts = document.createElement('dl');
  facts.className = 'facts';
  fact(facts, 'Size', bytes(stay.size));
  fact(facts, 'Kind', owner.kind);
  fact(facts, 'Where', place(stay.segment) + ', at ' + offset(stay));
  fact(facts, 'Process', processName(owner.process));
  fact(facts, 'Since', time(stay.begin));
  fact(facts, 'Until', time(stay.end) + ' (' + time(stay.end - stay.begin) + ')');
  fact(facts, 'Came from', place(stay.from));
  fact(facts, 'Why it came', because(stay.came) + ' (plan: ' + data.plans[stay.why] + ')');
  fact(facts, 'Who left for it', names(leftFor(stay)) || 'nobody');
  fact(facts, 'How it ended', leftWords(stay));
  fact(facts, 'Who came instead', names(cameFor(stay)));
  fact(facts, 'Used in this stay', times(stay.uses) + ', ' + (stay.writes === 0 ? 'never written' : 'written ' + times(stay.writes)));
  fact(facts, 'In the whole run', count(owner.pageIns) + ' page-ins, ' + count(owner.evictions) + ' evictions, ' +
    bytes(owner.in) + ' in, ' + bytes(owner.out) + ' out');
  detail.replaceChildren(text('h3', owner.name), facts);
}
function showTip(content, x, y) {
  const tip = element('tip');
  tip.textContent = content;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(6, Math.min(x + 14, window.innerWidth - box.width - 6)) + 'px';
  tip.style.top = (y + 18 + box.height > window.innerHeight ? Math.max(6, y - box.height - 12) : y + 18) + 'px';
}
const hideTip = () => { element('tip').hidden = true; };

/* ---- All of it again ------------------------------------------------------------------------- */

const maps = [...document.querySelectorAll('canvas.map')], figures = [...document.querySelectorAll('canvas.chart')];
let due = false;
function drawAll() {
  due = false;
  for (const canvas of maps) drawMap(canvas);
  for (const canvas of figures) drawChart(canvas);
}
function drawSoon() {
  if (!due) window.requestAnimationFrame(drawAll);
  due = true;
}
function drawColours() {
  drawLegend();
  drawChartLegends();
  drawSoon();
}
function look(from, to) {
  const span = Math.min(end, Math.max(to - from, end / 100000, 10));
  view.from = Math.max(0, Math.min(from, end - span));
  view.to = view.from + span;
  hideTip();
  drawSoon();
}
function zoom(factor, around) {
  const middle = around === undefined ? selected && inView(selected) ?
    (Math.max(selected.begin, view.from) + Math.min(selected.end, view.to)) / 2 : (view.from + view.to) / 2 : around;
  look(middle - (middle - view.from) * factor, middle + (view.to - middle) * factor);
}
const pan = share => look(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));
function select(stay, reveal) {
  selected = stay;
  tellDetail();
  if (stay && reveal && !inView(stay)) {
    const span = view.to - view.from;
    look(stay.begin - span / 2, stay.begin + span / 2);
  }
  drawSoon();
}

/* ---- Pointing -------------------------------------------------------------------------------- */

const plotOf = canvas => ({x: left, y: top, width: Math.max(1, canvas.clientWidth - left - right),
  height: Math.max(1, canvas.clientHeight - top - bottom)});
/* The stay under a point; the newest of those that touch it, within a pixel or two. */
function stayAt(canvas, x, y, slack) {
  const segment = segmentById.get(Number(canvas.dataset.segment)), plot = plotOf(canvas);
  for (let i = segment.stays.length - 1; i >= 0; i--) {
    const stay = segment.stays[i];
    if (inView(stay) && stayBoxes(plot, segment, stay).some(box => x >= box.x - slack && x <= box.x + box.width + slack &&
        y >= box.y - slack && y <= box.y + box.height + slack)) return stay;
  }
  return null;
}
const under = (canvas, x, y) => stayAt(canvas, x, y, 0) || stayAt(canvas, x, y, 3);
const columnAt = (canvas, x) => Math.max(0, Math.min(columns - 1, Math.floor(xTime(plotOf(canvas), x) / data.quantum)));

let brush = null; /* {canvas, from, to}: a span of time that is dragged */
function drawBrush(canvas, plot) {
  if (!brush || brush.canvas !== canvas || Math.abs(brush.to - brush.from) < 5) return;
  plot.context.globalAlpha = 0.25;
  plot.context.fillStyle = theme().ink;
  plot.context.fillRect(Math.min(brush.from, brush.to), plot.y, Math.abs(brush.to - brush.from), plot.height);
  plot.context.globalAlpha = 1;
}
function point(canvas, event) {
  const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
  if (canvas.classList.contains('map')) {
    const stay = under(canvas, x, y);
    if (stay !== hovered) drawSoon();
    hovered = stay;
    if (stay) showTip(stayTip(stay), event.clientX, event.clientY);
    else hideTip();
    return;
  }
  const column = columnAt(canvas, x);
  if (!cursor || cursor.column !== column) drawSoon();
  cursor = {canvas, column};
  showTip(chartTip(canvas, column), event.clientX, event.clientY);
}
function leave() {
  hovered = cursor = null;
  hideTip();
  drawSoon();
}
function release(canvas, event) {
  const dragged = brush && Math.abs(brush.to - brush.from) >= 5 ? brush : null;
  brush = null;
  if (dragged) {
    const plot = plotOf(canvas);
    look(xTime(plot, Math.min(dragged.from, dragged.to)), xTime(plot, Math.max(dragged.from, dragged.to)));
  } else if (canvas.classList.contains('map')) {
    const box = canvas.getBoundingClientRect();
    select(under(canvas, event.clientX - box.left, event.clientY - box.top), false);
  }
}
for (const canvas of [...maps, ...figures]) {
  const at = event => event.clientX - canvas.getBoundingClientRect().left;
  canvas.addEventListener('pointermove', event => {
    if (brush && brush.canvas === canvas) { brush.to = at(event); drawSoon(); }
    point(canvas, event);
  });
  canvas.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    if (event.pointerType === 'mouse') brush = {canvas, from: at(event), to: at(event)};
    point(canvas, event);
  });
  canvas.addEventListener('pointerleave', () => { brush = null; leave(); });
  canvas.addEventListener('click', event => release(canvas, event));
  canvas.addEventListener('dblclick', () => look(0, end));
  canvas.addEventListener('wheel', event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 0.8 : 1.25, xTime(plotOf(canvas), at(event)));
  }, {passive: false});
}

/* ---- Keys ------------------------------------------------------------------------------------ */

const middle = stay => (stay.parts[0].from + stay.parts[0].to) / 2;
/* The neighbour of a stay: later or earlier in its place, or above or below it at its time. */
function neighbour(segment, stay, key) {
  const others = segment.stays.filter(other => other !== stay);
  const at = Math.min(stay.end, Math.max(stay.begin, (stay.begin + stay.end) / 2));
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    const side = key === 'ArrowUp' ? 1 : -1;
    return others.filter(other => other.begin <= at && other.end >= at && side * (middle(other) - middle(stay)) > 0)
      .sort((a, b) => side * (middle(a) - middle(b)))[0];
  }
  const later = key === 'ArrowRight';
  const rows = others.filter(other => (later ? other.begin >= stay.end : other.end <= stay.begin) &&
    other.parts.some(part => part.from <= middle(stay) && part.to > middle(stay)));
  const order = later ? (a, b) => a.begin - b.begin : (a, b) => b.end - a.end;
  if (rows.length) return rows.sort(order)[0];
  return segment.stays[segment.stays.indexOf(stay) + (later ? 1 : -1)];
}
function mapKey(canvas, key) {
  const segment = segmentById.get(Number(canvas.dataset.segment)), list = segment.stays;
  const here = selected && selected.segment === segment.id ? selected : null;
  let next = null;
  if (key === 'Home' || (!here && key !== 'End')) next = list.find(inView) || list[0];
  else if (key === 'End') next = list[list.length - 1];
  else next = neighbour(segment, here, key);
  if (next) select(next, true);
}
function chartKey(canvas, key) {
  const last = columns - 1, now = cursor ? cursor.column : columnAt(canvas, left);
  const goal = {Home: 0, End: last, ArrowLeft: now - 1, ArrowRight: now + 1}[key];
  if (goal === undefined) return;
  const column = Math.max(0, Math.min(last, goal)), box = canvas.getBoundingClientRect();
  cursor = {canvas, column};
  showTip(chartTip(canvas, column), box.left + columnX(plotOf(canvas), column), box.top + box.height / 3);
  drawSoon();
}
function keyed(canvas, event) {
  const arrows = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'];
  if (event.altKey || event.metaKey || event.ctrlKey) return;
  if (event.shiftKey && event.key === 'ArrowLeft') pan(-0.25);
  else if (event.shiftKey && event.key === 'ArrowRight') pan(0.25);
  else if (event.key === '+' || event.key === '=') zoom(0.5);
  else if (event.key === '-') zoom(2);
  else if (event.key === '0') look(0, end);
  else if (event.key === 'Escape') { select(null); leave(); }
  else if (arrows.includes(event.key)) (canvas.classList.contains('map') ? mapKey : chartKey)(canvas, event.key);
  else return;
  event.preventDefault();
}
for (const canvas of [...maps, ...figures]) {
  canvas.addEventListener('keydown', event => keyed(canvas, event));
  canvas.addEventListener('blur', leave);
}

/* ---- Buttons --------------------------------------------------------------------------------- */

for (const button of document.querySelectorAll('[data-mode]')) {
  button.addEventListener('click', () => {
    mode = button.dataset.mode;
    for (const other of document.querySelectorAll('[data-mode]')) other.setAttribute('aria-pressed', String(other === button));
    drawColours();
  });
}
const zooms = {in: () => zoom(0.5), out: () => zoom(2), left: () => pan(-0.25), right: () => pan(0.25), all: () => look(0, end)};
for (const button of document.querySelectorAll('[data-zoom]')) button.addEventListener('click', () => zooms[button.dataset.zoom]());
for (const button of document.querySelectorAll('[data-owner]')) {
  button.addEventListener('click', () => {
    const owner = owners.find(one => one.name === button.dataset.owner);
    if (!owner || !owner.stays.length) return;
    select(owner.stays.reduce((longest, stay) => stay.end - stay.begin > longest.end - longest.begin ? stay : longest), true);
    element('maps').scrollIntoView();
  });
}

/* ---- Sizes, colours, paper ------------------------------------------------------------------- */

new ResizeObserver(drawSoon).observe(element('main'));
dark.addEventListener('change', drawColours);
window.addEventListener('beforeprint', () => { printing = true; drawLegend(); drawAll(); });
window.addEventListener('afterprint', () => { printing = false; drawColours(); });
drawColours();

/* For tests: where the middle of a stay is on its canvas, in CSS pixels. */
window.vidmmReport = {
  data, stays,
  locate(index) {
    const stay = stays[index], canvas = maps.find(one => Number(one.dataset.segment) === stay.segment);
    const box = stayBoxes(plotOf(canvas), segmentById.get(stay.segment), stay)[0];
    return {canvas: maps.indexOf(canvas), x: box.x + box.width / 2, y: box.y + box.height / 2, width: box.width, height: box.height};
  },
};
}());
