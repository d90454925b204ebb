import { expect, test } from 'vitest'
import { bodyRemark } from '../../../schema/message/body-remark.ts'

test.each([
  ['{"price": {{fields.price.after}}}', 'line 1, column 12: '],
  ['{\n  "a": "{{changes}}",\n}', 'line 3, column 1: '],
  ['[1, 2', 'line 1, column 6: '],
  [' [Kettle] {{changes}}', 'line 1, column 3: '],
])('a body that is nearly JSON is remarked upon with the place: %s', (body, place) => {
  const remark = bodyRemark(body)
  expect(remark).toContain(`is sent as text, because it is not JSON: ${place}`)
  expect(remark).toMatch(/\. In JSON, names stand in quotes\.$/)
})

test.each(['', '{"a": "{{changes}}"}', '[]', '{{monitor.name}}: {{changes}}', 'It changed: {', '"a'])(
  'no other body is: %j',
  (body) => {
    expect(bodyRemark(body)).toBeNull()
  },
)
