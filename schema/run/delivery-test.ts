import Type, { type Static } from 'typebox'
import { DeliveryConfig } from '../monitor/delivery-config.ts'
import { MASK } from '../monitor/mask.ts'
import { Choice, Closed, Dictionary, Nullable, Tagged, Text, Uuid, Whole } from '../shape/shape.ts'

/** Tests of destinations a minute, of each team. */
export const TESTS_PER_MINUTE = 10

/** The most destinations of a monitor. */
const DESTINATIONS = 25

/** Body of `POST /v1/deliveries/test`: a destination, or one of a stored monitor. */
export const DeliveryTestRequest = Closed(
  {
    delivery: Type.Optional(DeliveryConfig),
    monitor_id: Type.Optional(Uuid('Of a monitor of either kind.')),
    index: Type.Optional(
      Whole(0, DESTINATIONS - 1, { description: 'Which of its `deliveries`, counted from 0. Default: 0.' }),
    ),
  },
  { rules: ['delivery_or_monitor'] },
)
export type DeliveryTestRequest = Static<typeof DeliveryTestRequest>

/** What is sent for a delivery, without its secrets. */
export const DeliveryRequest = Tagged(
  'via',
  {
    http: {
      method: Text(1, 10),
      url: Text(1, 2048, `All that follows the host is \`${MASK}\`.`),
      headers: Dictionary(Text(0, 4096), {
        maxProperties: 40,
        description: `A configured one has the value \`${MASK}\`.`,
      }),
      body: Type.String({ description: 'The exact text.' }),
      warnings: Type.Optional(
        Type.Array(Text(1, 500), {
          maxItems: 10,
          description: 'What should be known of it: that a body that looks like JSON is none, for example.',
        }),
      ),
    },
    mail: {
      to: Text(1, 254),
      subject: Type.String(),
      text: Type.String({ description: 'The part for programs that show plain text.' }),
      html: Type.String({ description: 'The part for all other programs.' }),
    },
    none: { message: Text(1, 1000, 'Why nothing can be sent.') },
  },
  { tagged: 'How it is sent.' },
)
export type DeliveryRequest = Static<typeof DeliveryRequest>

/** Response of `POST /v1/deliveries/test`. The names that a delivery has too mean the same. */
export const DeliveryTest = Closed({
  status: Choice(['success', 'failed']),
  is_final: Type.Boolean({ description: 'A delivery with this result would not be tried again.' }),
  response_status: Nullable(Type.Integer()),
  response_body: Nullable(Text(0, 4096), {
    description: 'The beginning of the response. If there was none: the error.',
  }),
  duration_ms: Type.Integer({ minimum: 0 }),
  run_id: Nullable(Uuid(), { description: 'The run whose change was sent. Null: the change was made up.' }),
  signing_secret: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'The secret that signed this request, where the monitor has none. It is used once.',
    }),
  ),
  request: DeliveryRequest,
})
export type DeliveryTest = Static<typeof DeliveryTest>
