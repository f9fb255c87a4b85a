(function () {
  'use strict';
  var table = document.querySelector('table.all');
  if (!table) return;
  var body = table.tBodies[0];
  var rows = Array.prototype.slice.call(body.rows);
  var headings = table.querySelectorAll('thead th[data-c]');
  var input = document.querySelector('input.filter');
  var shown = document.querySelector('.shown');
  function key(row, column) {
    var cell = row.cells[column];
    var value = cell.getAttribute('data-v');
    return value === null ? cell.textContent : value === '' ? null : Number(value);
  }
  function compare(a, b) {
    if (a === null || b === null) return (a === null) - (b === null);
    return typeof a === 'number' ? a - b : a.localeCompare(b, 'en', {numeric: true});
  }
  function sort(heading) {
    var column = Number(heading.getAttribute('data-c'));
    var down = heading.getAttribute('aria-sort') === 'ascending';
    headings.forEach(function (other) { other.removeAttribute('aria-sort'); });
    heading.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    rows.map(function (row, at) { return {row: row, key: key(row, column), at: at}; }).sort(function (a, b) {
      if (a.key === null || b.key === null) return compare(a.key, b.key) || a.at - b.at;
      return (down ? compare(b.key, a.key) : compare(a.key, b.key)) || a.at - b.at;
    }).forEach(function (entry) { body.appendChild(entry.row); });
  }
  headings.forEach(function (heading) {
    heading.firstElementChild.addEventListener('click', function () { sort(heading); });
  });
  input.hidden = false;
  input.addEventListener('input', function () {
    var words = input.value.toLowerCase().split(' ');
    var count = 0;
    rows.forEach(function (row) {
      var text = row.textContent.toLowerCase();
      row.hidden = !words.every(function (word) { return text.indexOf(word) !== -1; });
      if (!row.hidden) count++;
    });
    shown.textContent = count === rows.length ? '' : count + ' of ' + rows.length;
  });
})();
(function () {
  'use strict';
  var metric = document.querySelector('select.metric');
  var statistic = document.querySelector('select.statistic');
  if (!metric) return;
  function choose() {
    document.querySelectorAll('figure[data-metric]').forEach(function (figure) {
      figure.hidden = figure.getAttribute('data-metric') !== metric.value ||
        figure.getAttribute('data-statistic') !== statistic.value;
    });
  }
  metric.addEventListener('change', choose);
  statistic.addEventListener('change', choose);
  choose();
})();
(function () {
  'use strict';
  var tip = document.createElement('div');
  tip.className = 'tip';
  tip.setAttribute('role', 'status');
  tip.hidden = true;
  document.body.appendChild(tip);
  var shown = null;
  function hide() {
    if (shown) shown.classList.remove('at');
    shown = null;
    tip.hidden = true;
  }
  function show(mark) {
    hide();
    shown = mark;
    mark.classList.add('at');
    tip.textContent = mark.querySelector('title').textContent;
    tip.hidden = false;
    var box = mark.getBoundingClientRect();
    var left = Math.min(box.right, window.innerWidth - 8) - tip.offsetWidth / 2;
    tip.style.left = window.scrollX + Math.max(8, Math.min(left, window.innerWidth - tip.offsetWidth - 8)) + 'px';
    tip.style.top = window.scrollY + (box.top > tip.offsetHeight + 12 ? box.top - tip.offsetHeight - 6 : box.bottom + 6) + 'px';
  }
  document.querySelectorAll('.box svg.area').forEach(function (area) {
    var marks = Array.prototype.slice.call(area.querySelectorAll('use,rect.bar'));
    var steps = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1};
    if (!marks.length) return;
    area.setAttribute('tabindex', '0');
    area.addEventListener('keydown', function (event) {
      var at = marks.indexOf(shown);
      if (event.key === 'Escape') hide();
      if (!steps[event.key]) return;
      event.preventDefault();
      show(marks[at === -1 ? 0 : (at + steps[event.key] + marks.length) % marks.length]);
    });
    area.addEventListener('blur', hide);
    area.addEventListener('mouseout', hide);
    area.addEventListener('mouseover', function (event) {
      var mark = event.target.closest('use,rect.bar');
      if (mark) show(mark);
    });
  });
})();
