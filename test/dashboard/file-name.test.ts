import { expect, test } from 'vitest'
import { fileName } from '../../dashboard/src/parts/file-name.ts'

test.each([
  ['Price of a kettle', 'price-of-a-kettle'],
  ['https://shop.example/kettle?id=1', 'https-shop-example-kettle-id-1'],
  ['../../etc/passwd', 'etc-passwd'],
  ['CON: "a" <b> | c*\\\n', 'con-a-b-c'],
  ['.hidden ', 'hidden'],
  ['photo\u202egpj.exe', 'photo-gpj-exe'],
  ['Цена чайника № 5', 'цена-чайника-5'],
  ['na\u0301', 'ná'],
  ['🫖 !', ''],
  [`${'x'.repeat(59)} y`, 'x'.repeat(59)],
  ['😀a'.repeat(50), 'a-'.repeat(30).slice(0, -1)],
])('%j is the part %j of the name of a file', (text, name) => {
  expect(fileName(text)).toBe(name)
})
