import { bodyRemark } from '../../schema/message/body-remark.ts'
import type { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import { type Issue, joinPath } from '../../schema/validation/issue.ts'

/** Returns a remark for each body of a request that looks like JSON, and is none. */
export const bodyRemarks = (deliveries: readonly DeliveryConfig[]): readonly Issue[] =>
  deliveries.flatMap((delivery, index) => {
    const remark = delivery.type === 'webhook' && delivery.body !== undefined ? bodyRemark(delivery.body) : null
    return remark === null ? [] : [{ path: joinPath('deliveries', index, 'body'), message: remark }]
  })

/** Returns what the record of a monitor says about them. */
export const bodyWarnings = (deliveries: readonly DeliveryConfig[]): readonly string[] =>
  bodyRemarks(deliveries).map(({ path, message }) => `${path} ${message}`)
