import { expect, test } from 'vitest';
import { readPage } from './page.ts';

const block = (head: string, text: string) => `\`\`\`${head}\n${text}\n\`\`\`\n\n`;

test('reads a page into its files, and its commands with their shown output', () => {
  const markdown =
    '# Title\n\n' +
    block('sh by-hand', 'npm start') +
    block('js file=bot.mjs', 'await 0;') +
    block('sh run', 'node bot.mjs') +
    block('text shows', 'done') +
    block('sh run stopped', 'ls') +
    block('text', 'a picture');
  const { files, steps } = readPage('bot.md', markdown);
  expect([...files]).toEqual([['bot.mjs', 'await 0;\n']]);
  expect(steps).toEqual([
    { place: 'bot.md:11', script: 'node bot.mjs\n', isStopped: false, shown: { form: 'text', text: 'done\n' } },
    { place: 'bot.md:19', script: 'ls\n', isStopped: true, shown: undefined },
  ]);
});

test.each([
  ['a block without a mark', block('js', 'await 0;'), /page\.md:1: a block of js is marked/],
  ['an unknown mark', block('sh runs', 'ls'), /page\.md:1: there is no mark runs/],
  ['output without a command', block('json shows', '{}'), /page\.md:1: what is shown follows the command/],
  [
    'two outputs of one command',
    block('sh run', 'ls') + block('text shows', 'a') + block('text shows', 'b'),
    /what is shown follows/,
  ],
  ['a program that runs without being saved', block('js run', 'await 0;'), /save a program with file=/],
])('rejects %s', (_, markdown, message) => {
  expect(() => readPage('page.md', markdown)).toThrow(message);
});
