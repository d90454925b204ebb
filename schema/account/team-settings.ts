import Type, { type Static } from 'typebox'
import { Closed } from '../shape/shape.ts'

/** Settings of a team, which apply to all of its monitors. */
export const TeamSettings = Closed({
  proxy_enabled: Type.Boolean({ description: 'A check that a site blocked may be tried again through the proxy.' }),
  error_notifications: Type.Boolean({
    description:
      'The owner gets an e-mail when a monitor has failed five times in a row or finds none of its fields, and when ' +
      'it works again.',
  }),
})
export type TeamSettings = Static<typeof TeamSettings>

/** Body of `PATCH /v1/settings`: keys that are absent stay as they are. */
export const TeamSettingsPatch = Type.Partial(TeamSettings, { additionalProperties: false })
export type TeamSettingsPatch = Static<typeof TeamSettingsPatch>
