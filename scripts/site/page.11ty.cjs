/** The frame of every page of the site. */
module.exports = ({ title, base, content }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}style.css">
</head>
<body>
<header><nav><a href="${base}index.html">svc</a> <a href="${base}docs/index.html">Documentation</a> <a href="${base}docs/commands.html">Commands</a></nav></header>
<main>
${content}</main>
</body>
</html>
`;

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
