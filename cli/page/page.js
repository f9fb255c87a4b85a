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
