"use strict";
{{template "state.js"}}
{{template "draw.js"}}
{{template "panels.js"}}
{{template "controls.js"}}
{{template "app.js"}}
