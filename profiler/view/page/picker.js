// The pickers of `tlab report`: choose a warp, one of its requests and a lane, and see the banks or sectors that they
// access. The data are those of view/run_json.h. Everything is written as text, never as markup.
document.querySelectorAll('script[type="application/json"]').forEach(function (script) {
    var data = JSON.parse(script.textContent), requests = data.requests, place = script.dataset.of;

    function add(parent, name, attributes, text) {
        var svg = name === 'svg' || parent.namespaceURI.indexOf('svg') >= 0;
        var element = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
        Object.keys(attributes || {}).forEach(function (key) { element.setAttribute(key, attributes[key]); });
        if (text !== undefined)
            element.textContent = text;
        return parent.appendChild(element);
    }
    function count(number, word) { return number + ' ' + word + (number === 1 ? '' : 's'); }
    // "0–3, 8": a list of lanes, in ascending order.
    function ranges(lanes) {
        var texts = [];
        for (var i = 0, first; i < lanes.length; i++) {
            first = lanes[i];
            while (lanes[i + 1] === lanes[i] + 1)
                i++;
            texts.push(first === lanes[i] ? first : first + '–' + lanes[i]);
        }
        return texts.join(', ');
    }
    function thread(warp, lane) {
        var number = warp * data.warp_lanes + lane, size = data.threads;
        return '(' + [number % size[0], Math.floor(number / size[0]) % size[1],
            Math.floor(number / size[0] / size[1])].slice(0, size[2] > 1 ? 3 : 2).join(',') + ')';
    }
    function unit(request) {
        return request.space === 'shared' ? 'wavefront' : data.sector_bytes ? 'sector' : 'segment';
    }

    // The controls.
    var box = document.createElement('div');
    box.className = 'picker';
    script.parentNode.insertBefore(box, script);
    function select(title) {
        return add(add(box, 'label', {}, title + ' '), 'select');
    }
    var warps = select('Warp'), list = select('Request'), lanes = select('Lane');
    var said = add(box, 'p', {'class': 'said', 'aria-live': 'polite'}), drawing = null;

    function fill_requests(wanted) {
        list.textContent = '';
        requests.forEach(function (request, index) {
            if (request.warp === Number(warps.value))
                add(list, 'option', {value: index}, 'line ' + request.line + ': ' + request.space + ' ' + request.access +
                    (request.times > 1 ? ', ' + request.time + ' of ' + request.times : '') +
                    ' (' + count(request.used, unit(request)) + ', minimum ' + request.ideal + ')');
        });
        // The same request of another warp.
        var same = Array.from(list.options).find(function (option) {
            var request = requests[option.value];
            return wanted && request.line === wanted.line && request.time === wanted.time &&
                request.space === wanted.space && request.access === wanted.access;
        });
        if (same)
            same.selected = true;
    }
    function fill_lanes() {
        var chosen = lanes.value;
        lanes.textContent = '';
        add(lanes, 'option', {value: ''}, 'all');
        requests[list.value].lanes.forEach(function (lane) { add(lanes, 'option', {value: lane[0]}, lane[0]); });
        lanes.value = chosen;
        if (lanes.selectedIndex < 0)
            lanes.value = '';
    }

    // The cells of a picture: {lanes, row, at, width, used}, in columns of the picture.
    function bank_cells(request) {
        var cells = [], found = {}, top = 0, depth = {}, phase = -1;
        request.lanes.forEach(function (lane) {
            if (Math.floor(lane[0] / request.phase) !== phase) {
                phase = Math.floor(lane[0] / request.phase);
                Object.keys(depth).forEach(function (bank) { top = Math.max(top, depth[bank]); });
                found = {};
                depth = {};
            }
            for (var w = 0; w < Math.max(1, request.bytes / data.word_bytes); w++) {
                var word = Math.floor(lane[1] / data.word_bytes) + w, bank = word % data.banks;
                if (!found[word]) {
                    depth[bank] = Math.max(depth[bank] || 0, top);
                    cells.push(found[word] = {lanes: [], row: depth[bank]++, at: bank, width: 1, used: [], name: 'bank ' + bank});
                }
                found[word].lanes.push(lane[0]);
            }
        });
        return cells;
    }
    function sector_cells(request, rows) {
        var last = null;
        return request.pieces.map(function (piece, index) {
            var base = Math.floor(piece[0] / data.line_bytes) * data.line_bytes;
            var own = request.lanes.filter(function (lane) { return lane[2] === index; });
            if (base !== last || !data.sector_bytes)
                rows.push(own.length ? own[0][3] : '');
            last = base;
            return {lanes: own.map(function (lane) { return lane[0]; }), row: rows.length - 1,
                at: piece[0] - base, width: piece[1], name: unit(request) + ' ' + (index + 1),
                used: own.map(function (lane) { return [lane[1] - base, lane[0]]; })};
        });
    }

    function draw() {
        var request = requests[list.value], shared = request.space === 'shared';
        var lane = lanes.value === '' ? null : Number(lanes.value), rows = [];
        var cells = shared ? bank_cells(request) : sector_cells(request, rows);
        var columns = shared ? data.banks : data.line_bytes, left = shared ? 110 : 150, scale = (990 - left) / columns;
        var height = shared ? 22 : 26, top = 24, count_rows = 1;
        cells.forEach(function (cell) { count_rows = Math.max(count_rows, cell.row + 1); });
        var mine = cells.filter(function (cell) { return lane === null || cell.lanes.indexOf(lane) >= 0; });

        var text = 'Block (' + data.block.slice(0, 2).join(',') + '), warp ' + request.warp + ': ' + request.space + ' ' + request.access +
            ', ' + request.bytes + ' bytes per lane: ' + count(request.used, unit(request)) + ', minimum ' + request.ideal + '. Cells contain lane numbers.\n';
        var banks = mine.map(function (cell) { return cell.at; }).filter(function (bank, i, all) { return all.indexOf(bank) === i; })
            .sort(function (a, b) { return a - b; });
        if (lane === null) {
            text += count(request.lanes.length, 'active lane') + ' of the warp: ' +
                (shared ? count(banks.length, 'bank') + ' of ' + data.banks + '.' : count(cells.length, unit(request)) + '.');
        } else {
            var found = request.lanes.find(function (entry) { return entry[0] === lane; });
            text += 'Lane ' + lane + ', thread ' + thread(request.warp, lane) + ', ' + found[3] + ': ';
            text += shared ? 'bank' + (banks.length > 1 ? 's ' : ' ') + ranges(banks) +
                '. Different words that the warp accesses in bank ' + banks[0] + ': ' + cells.filter(function (cell) {
                return cell.at === banks[0];
            }).length + '.' : mine.map(function (cell) { return cell.name; }).join(', ') + ' of ' + cells.length +
                ', which also serves ' + count(mine[0].lanes.length - 1, 'other lane') + '.';
        }
        said.textContent = text + ' ';
        add(said, 'a', {href: '#' + place + '-' + request.line}, 'line ' + request.line);

        var picture = add(box, 'svg', {viewBox: '0 0 1000 ' + (top + count_rows * height + 4), role: 'img'});
        add(picture, 'title', {}, text);
        add(picture, 'text', {x: 0, y: 15}, shared ? 'bank' : 'first element');
        for (var at = 0; at < columns; at += shared ? 1 : data.sector_bytes || 32)
            add(picture, 'text', {x: left + (at + (shared ? .5 : 0)) * scale, y: 15, 'text-anchor': shared ? 'middle' : 'start'},
                shared ? at : 'byte ' + at);
        for (var row = 0; row < count_rows; row++) {
            add(picture, 'text', {x: 0, y: top + row * height + 15}, shared ? 'wavefront ' + (row + 1) : rows[row]);
            if (!shared)
                add(picture, 'rect', {x: left, y: top + row * height, width: columns * scale, height: height - 4});
        }
        cells.forEach(function (cell) {
            var x = left + cell.at * scale, y = top + cell.row * height;
            var chosen = lane !== null && cell.lanes.indexOf(lane) >= 0;
            var group = add(picture, 'g', chosen ? {'class': 'chosen'} : {});
            add(group, 'rect', {'class': 'hit', x: x + 1, y: y, width: cell.width * scale - 2, height: height - 4});
            cell.used.forEach(function (used) {
                if (lane === null || used[1] === lane)
                    add(group, 'rect', {'class': 'used', x: left + used[0] * scale + .5, y: y + height - 9,
                        width: request.bytes * scale - 1, height: 5});
            });
            var label = ranges(cell.lanes);
            if (label.length * 8 > cell.width * scale)
                label = cell.lanes.length > 1 ? cell.lanes[0] + '+' : label;
            add(group, 'text', {x: x + cell.width * scale / 2, y: y + (shared ? 14 : 12), 'text-anchor': 'middle'}, label);
            group.addEventListener('click', function () {
                lanes.value = cell.lanes[(cell.lanes.indexOf(lane) + 1) % cell.lanes.length];
                draw();
            });
        });
        if (drawing)
            drawing.remove();
        drawing = picture;
    }

    // Begin with the first request that has the most excess.
    requests.sort(function (a, b) { return a.warp - b.warp; });
    function excess(request) { return request.used - request.ideal; }
    var worst = requests.reduce(function (most, request) { return excess(request) > excess(most) ? request : most; });
    requests.forEach(function (request, index) {
        if (!index || request.warp !== requests[index - 1].warp)
            add(warps, 'option', {value: request.warp}, request.warp);
    });
    warps.value = worst.warp;
    fill_requests(worst);
    fill_lanes();
    draw();
    warps.addEventListener('change', function () {
        fill_requests(requests[list.value]);
        fill_lanes();
        draw();
    });
    list.addEventListener('change', function () {
        fill_lanes();
        draw();
    });
    lanes.addEventListener('change', draw);
    if (requests.length < data.total)
        add(box, 'p', {'class': 'soft'}, 'The first ' + requests.length + ' of ' + data.total + ' requests of the block can be chosen.');
});
