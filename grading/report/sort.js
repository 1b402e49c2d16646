// Sort by the column whose button was pressed, the other way when it is pressed again. A cell's sort
// key is its data-key, a number, or its text.
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
