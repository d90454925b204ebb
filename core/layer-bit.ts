import { FETCH_METHODS, type FetchMethod } from '../schema/run/run.ts'

/** Returns the bit of a layer in `checks.read_by`: the layers whose last reading is the baseline. */
export const layerBit = (layer: FetchMethod): number => 1 << FETCH_METHODS.indexOf(layer)
