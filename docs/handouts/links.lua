-- links.lua: pandoc filter. Links between handouts become links to the pages in HTML, and plain text in PDF.
-- Links to other files of the repository become the file's path.
-- Metadata: `base`, the folder of the page in the repository; `suffix`, html or pdf.
local base, suffix

local function resolve(path) -- convert a path relative to `base` to a path relative to the root
    local parts = {}
    for part in (base .. "/" .. path):gmatch("[^/]+") do
        if part == ".." then table.remove(parts)
        elseif part ~= "." then table.insert(parts, part) end
    end
    return table.concat(parts, "/")
end

function Meta(meta)
    base, suffix = pandoc.utils.stringify(meta.base), pandoc.utils.stringify(meta.suffix)
end

function Link(link)
    local target = link.target
    if target:match("^%a+:") or target:match("^#") then return nil end
    local path = resolve(target:gsub("#.*", ""))
    local lab = path:match("^labs/([^/]+)/?$") or path:match("^labs/([^/]+)/README%.md$") or
        path:match("^solutions/([^/]+)/README%.md$") or path:match("^docs/(quiz)%.md$") or
        path:match("^docs/(syllabus)%.md$")
    if lab and suffix == "pdf" then return link.content end
    if lab then
        link.target = lab .. "." .. suffix
        return link
    end
    local text = link.content
    if pandoc.utils.stringify(text) == path then return { pandoc.Code(path) } end
    text:extend({ pandoc.Space(), pandoc.Str("("), pandoc.Code(path), pandoc.Str(")") })
    return text
end

return { { Meta = Meta }, { Link = Link } }
