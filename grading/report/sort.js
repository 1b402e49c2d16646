// The class page: sorting, filtering, keys.
// Sort by the column of the button that was pressed; a second press reverses the order. The sort key
// of a cell is its data-key, which is a number, or its text.
document.querySelectorAll('th button').forEach(function (button) {
    button.addEventListener('click', function () {
        var head = button.closest('th'), body = head.closest('table').tBodies[0];
        var column = head.cellIndex, order = head.getAttribute('aria-sort');
        var sign = order === 'descending' || (!order && column === 0) ? 1 : -1;
        function key(row) {
            var cell = row.cells[column];
            return cell.dataset.key === undefined ? cell.textContent : Number(cell.dataset.key);
        }
        head.parentNode.querySelectorAll('th').forEach(function (other) {
            other.removeAttribute('aria-sort');
        });
        head.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
        Array.from(body.rows).sort(function (a, b) {
            var x = key(a), y = key(b);
            return sign * (typeof x === 'number' ? x - y : x.localeCompare(y));
        }).forEach(function (row) {
            body.appendChild(row);
        });
    });
});

// Filter by a state and a text; move between the rows that are shown with the arrow keys.
var filter = document.getElementById('filter'), state = document.getElementById('state');
var rows = Array.from(document.querySelectorAll('table.class tbody tr'));
function show() {
    var text = filter.value.trim().toLowerCase();
    var shown = rows.filter(function (row) {
        row.hidden = (state.value && row.dataset.states.split('|').indexOf(state.value) < 0) ||
            row.textContent.toLowerCase().indexOf(text) < 0;
        return !row.hidden;
    }).length;
    document.getElementById('shown').textContent = shown + ' of ' + rows.length;
}
filter.addEventListener('input', show);
state.addEventListener('input', show);
document.addEventListener('keydown', function (event) {
    var row = event.target.closest('tbody tr'), next = row;
    if (event.key === '/' && event.target !== filter) {
        filter.focus();
    } else if (event.target === filter && event.key === 'Escape') {
        filter.value = '';
        show();
    } else if (event.target === filter && event.key === 'ArrowDown') {
        next = document.querySelector('table.class tbody tr:not([hidden])');
        if (next)
            next.querySelector('a').focus();
    } else if (row && rows.indexOf(row) >= 0 && /^Arrow(Up|Down)$/.test(event.key)) {
        do {
            next = event.key === 'ArrowDown' ? next.nextElementSibling : next.previousElementSibling;
        } while (next && next.hidden);
        if (next)
            next.querySelector('a').focus();
    } else {
        return;
    }
    event.preventDefault();
});
