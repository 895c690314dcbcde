// The form: it writes into the state and calls changed().

const $ = id => document.getElementById(id);

function choices(select, entries, value) {
  select.replaceChildren(...entries.map(([v, text]) => element("option", { value: v, selected: String(v) === String(value) }, text)));
}

// radios fills a group of radio buttons.
function radios(group, name, entries, value, pick) {
  group.replaceChildren(...entries.map(([v, text]) => {
    const input = element("input", { type: "radio", name, value: v, checked: v === value, onchange: () => pick(v) });
    return element("label", {}, input, " " + text);
  }));
}

// picker fills the fieldset of a model: which one, and its settings.
function picker(id, state, slot, changed) {
  const box = $(id), legend = box.querySelector("legend"), m = state[slot];
  const select = element("select", { id: id + "-method", onchange: () => {
    state[slot] = select.value ? model(select.value) : null;
    if (select.value === "perceptron" && slot === "first" && !state.show.walk) { state.show.walk = true; shows(state, changed); }
    picker(id, state, slot, changed);
    changed();
    $(id + "-method").focus();
  } });
  const entries = Object.entries(METHODS).map(([k, v]) => [k, v.name]);
  choices(select, slot === "second" ? [["", "none"], ...entries] : entries, m ? m.method : "");
  const list = m ? METHODS[m.method].settings.map(s => setting(id, s, m, changed)) : [];
  box.replaceChildren(legend, element("label", {}, "Method ", select), ...list);
}

// setting makes the control of one setting of a model.
function setting(id, s, m, changed) {
  const name = id + "-" + s.key;
  if (s.check) {
    const input = element("input", { type: "checkbox", id: name, checked: m[s.key], onchange: () => { m[s.key] = input.checked; changed(); } });
    return element("label", {}, input, " " + s.label);
  }
  if (s.options) {
    const select = element("select", { id: name, onchange: () => { m[s.key] = +select.value; changed(); } });
    choices(select, s.options, m[s.key]);
    return element("label", {}, s.label + " ", select);
  }
  const shown = element("output", { htmlFor: name });
  const place = v => !s.log ? v : s.zero && v === 0 ? s.min : Math.log10(v);
  const value = p => { if (!s.log) return p; const v = s.zero && p <= s.min ? 0 : 10 ** p; return s.whole ? Math.round(v) : +v.toPrecision(3); };
  const say = () => { shown.textContent = number(m[s.key]); input.setAttribute("aria-valuetext", shown.textContent); };
  const input = element("input", { type: "range", id: name, min: s.min, max: s.max, step: s.step, oninput: () => { m[s.key] = value(+input.value); say(); changed(); } });
  input.value = place(m[s.key]);
  say();
  return element("label", {}, s.label + ": ", shown, input);
}

function shows(state, changed) {
  $("shows").replaceChildren(...Object.entries(SHOWS).map(([k, text]) => {
    const input = element("input", { type: "checkbox", checked: state.show[k], onchange: () => { state.show[k] = input.checked; changed(); } });
    return element("label", {}, input, " " + text);
  }));
}

// setForm fills all controls from the state.
function setForm(state, on) {
  choices($("preset"), [...Object.entries(PRESETS).map(([k, v]) => [k, v.name]), ...(state.preset === "none" ? [["none", "own points"]] : [])], state.preset);
  $("count").value = state.count;
  $("seed").value = state.seed;
  radios($("tools"), "tool", [["move", "add and move"], ["paint", "paint"], ["erase", "erase"]], state.tool, v => { state.tool = v; });
  radios($("classes"), "class", [...LETTERS].map((l, k) => [k, "class " + l]), state.label, v => { state.label = v; });
  shows(state, on.changed);
  picker("first", state, "first", on.changed);
  picker("second", state, "second", on.changed);
}
