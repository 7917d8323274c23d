import { expect, test } from '@jest/globals';
import { splitFrontMatter } from '../../src/markdown/front-matter.ts';
import { toHtml } from './html.ts';

const PAGE = 'https://github.com/acme/skills/blob/0a1b2c3/pdf/SKILL.md';
const REL = 'rel="noopener noreferrer nofollow ugc"';

test.each([
  ['*a* **b** ~~c~~ `d`', '<p><em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>'],
  ['a<br>b\\\nc', '<p>a<br></br>b<br></br>c</p>'],
  ['# One\n\n###### Six', '<h2 id="md-one">One</h2>\n<h6 id="md-six">Six</h6>'],
  ['## A b!\n\n## A b?', '<h3 id="md-a-b">A b!</h3>\n<h3 id="md-a-b-1">A b?</h3>'],
  ['```js title\na < b\n```', '<pre lang="js">a &lt; b</pre>'],
  ['> a\n\n---', '<blockquote><p>a</p></blockquote>\n<hr></hr>'],
  ['- a\n- b\n  1. c', '<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>'],
  ['3. a\n\n4. b', '<ol start="3"><li><p>a</p></li><li><p>b</p></li></ol>'],
  [
    '- [x] done\n- [ ] open',
    '<ul><li class="md-task"><label><input type="checkbox" checked disabled></input> done</label></li>' +
      '<li class="md-task"><label><input type="checkbox" disabled></input> open</label></li></ul>',
  ],
  [
    '|a||\n|-|-:|\n|1|2|',
    '<div class="md-table" role="group" aria-label="Table 1" tabIndex="0"><table>' +
      '<thead><tr><th scope="col">a</th><td class="md-right"></td></tr></thead>' +
      '<tbody><tr><td>1</td><td class="md-right">2</td></tr></tbody></table></div>',
  ],
  ['&copy; &mdash; &nosuch;', '<p>© — &amp;nosuch;</p>'],
])('renders %j', async (text, html) => {
  expect(await toHtml(text)).toBe(html);
});

test.each([
  ['[a](./b.md#c)', `<a href="https://github.com/acme/skills/blob/0a1b2c3/pdf/b.md#c" ${REL}>a</a>`],
  ['[a](/b.md)', `<a href="https://github.com/acme/skills/blob/0a1b2c3/b.md" ${REL}>a</a>`],
  ['[a](//other.example/b)', `<a href="https://other.example/b" ${REL}>a</a>`],
  ['https://example.com/?q', `<a href="https://example.com/?q" ${REL}>https://example.com/?q</a>`],
  ['me@example.com', `<a href="mailto:me@example.com" ${REL}>me@example.com</a>`],
  ['[a](#Some%20part)', '<a href="#md-some-part">a</a>'],
  ['[a][b]\n\n[b]: http://c.example', `<a href="http://c.example/" ${REL}>a</a>`],
  ['[a][b] [c]', '[a][b] [c]'],
  ['![A cat](cat.png)', `<a href="https://github.com/acme/skills/blob/0a1b2c3/pdf/cat.png" ${REL}>Image: A cat</a>`],
  ['[![CI](a.svg)](https://ci.example)', `<a href="https://ci.example/" ${REL}>Image: CI</a>`],
  ['[a](javascript:alert(1))', 'a <span class="md-address">(javascript:alert(1))</span>'],
  ['[a](data:text/html,x)', 'a <span class="md-address">(data:text/html,x)</span>'],
  ['[a](https://good.example@evil.example)', 'a <span class="md-address">(https://good.example@evil.example)</span>'],
  ['<javascript:alert(1)>', 'javascript:alert(1)'],
])('makes a safe link of %j, or none', async (text, html) => {
  expect(await toHtml(text, PAGE)).toBe(`<p>${html}</p>`);
});

test('shows the address of a relative link when it is not known where the text lives', async () => {
  expect(await toHtml('[a](b.md)')).toBe('<p>a <span class="md-address">(b.md)</span></p>');
});

test('shows HTML as text, but for some harmless pairs', async () => {
  expect(await toHtml('<kbd>Ctrl</kbd> H<sub>2</sub>O <kbd>open <b>x</b> </sub>')).toBe(
    '<p><kbd>Ctrl</kbd> H<sub>2</sub>O &lt;kbd>open &lt;b>x&lt;/b> &lt;/sub></p>',
  );
  expect(await toHtml('<!-- hidden -->')).toBe('<div class="md-source">&lt;!-- hidden --></div>');
  expect(await toHtml('<script>alert(1)</script>')).toBe(
    '<div class="md-source">&lt;script>alert(1)&lt;/script></div>',
  );
  expect(await toHtml('<kbd onclick=x>a</kbd>')).toBe('<p>&lt;kbd onclick=x>a&lt;/kbd></p>');
});

test('shows footnotes as they are written', async () => {
  expect(await toHtml('a[^x]\n\n[^x]: A note')).toBe('<p>a[^x]</p>\n<p>[^x]: A note</p>');
});

test.each([
  ['---\nname: a\n---\n# B', 'name: a\n', '# B'],
  ['\ufeff---\r\nname: a\r\n---\r\nB', 'name: a\n', 'B'],
  ['---\n---', '', ''],
  ['---\nno end', null, '---\nno end'],
  ['# A\n---\nb\n---', null, '# A\n---\nb\n---'],
])('separates the front matter of %j', (text, frontMatter, body) => {
  expect(splitFrontMatter(text)).toEqual({ frontMatter, body });
});
