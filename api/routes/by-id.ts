import { Closed, Uuid } from '../../schema/shape/shape.ts'

/** Parameters of the routes of one resource; an id of another shape is a 404. */
export const ById = Closed({ id: Uuid() })
