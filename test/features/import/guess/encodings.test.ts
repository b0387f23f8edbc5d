// cspell:disable
import { expect, test } from 'vitest';
import { likelyEncodings } from '../../../../src/features/import/guess/likely-encodings.ts';
import { suggested } from '../../../support/suggested.ts';

/** Encodes a text by asking the decoder for each character of one or two bytes. */
function encoded(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map<string, number[]>();
  for (let a = 0xff; a >= 0; a--) {
    for (let b = 0x40; b <= 0xff; b++) bytes.set(decoder.decode(new Uint8Array([a, b])), [a, b]);
    bytes.set(decoder.decode(new Uint8Array([a])), [a]);
  }
  return Buffer.from([...text].flatMap((c) => (c < '\x80' ? [c.charCodeAt(0)] : bytes.get(c)!)));
}

const JAPANESE =
  '名前,内容\n山田太郎,これはテストの文章です。商品を購入しました\n鈴木花子,ありがとうございます\n';
const HALF_WIDTH = '品名,ｺｰﾄﾞ\nこれはﾃｽﾄです,ｱｲｳ\nまた来てください,ｶｷｸ\n';
const CHINESE = '姓名,内容\n王小明,我们今天在这里学习中文的生活\n李大海,你好这是一个不错的地方\n';
const KOREAN = '이름,내용\n김철수,안녕하세요 저는 학생입니다\n이영희,감사합니다 다음에 또 만나요\n';

test.each([
  ['shift_jis', JAPANESE],
  ['shift_jis', HALF_WIDTH],
  ['euc-jp', JAPANESE],
  ['gb18030', CHINESE],
  ['euc-kr', KOREAN],
])('%s is told from others by its frequent letters, or asked for', (encoding, text) => {
  const likely = likelyEncodings(encoded(text, encoding)).map((one) => one.encoding);
  expect(likely).toContain(encoding);
  // What is picked without a question is right.
  if (likely.length === 1) expect(likely).toEqual([encoding]);
});

test.each([
  ['iso-8859-2', 'źródło żółć pięść ślimak łąka'],
  ['iso-8859-2', 'šťastný žák příliš žluťoučký kůň'],
  ['windows-1250', 'šťastný žák příliš žluťoučký kůň'],
  ['windows-1250', 'źródło żółć pięść ślimak łąka'],
  // One foreign name among the words.
  [
    'windows-1250',
    'François a spus că înţelege: preşedintele ţării, şcoala, fără îndoială, când vă aşteaptă în grădină, împărţind pâinea şi mâncând brânză',
  ],
])('%s is not taken for another code page: %s', (encoding, text) => {
  const likely = likelyEncodings(encoded(text, encoding)).map((one) => one.encoding);
  expect(likely).toContain(encoding);
  if (likely.length === 1) expect(likely).toEqual([encoding]);
});

test('ISO-2022-JP is told by its escapes', async () => {
  const text = Buffer.concat([
    Buffer.from('name,date\n'),
    Buffer.from('\x1b$B;3ED\x1b(B,2026-01-31\n', 'latin1'),
  ]);
  await expect(suggested(text)).rejects.toMatchObject({
    message: 'a.csv is ISO-2022-JP text.',
    flags: { more: ['--encoding', 'iso-2022-jp'] },
  });
});
