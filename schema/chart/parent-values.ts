import Type from 'typebox'
import { Closed } from '../shape/shape.ts'
import { PULL_SECRET } from './kubernetes-shapes.ts'
import { imageRegistry, listOf } from './value-shapes.ts'

/**
 * What Helm gives the chart beside its values where another chart depends on it: `global`, and `enabled`, the condition
 * of a dependency by custom.
 */
export const ParentValues = Closed({
  global: Type.Object(
    {
      imageRegistry: imageRegistry('Registry of all charts of a release.'),
      imagePullSecrets: listOf(PULL_SECRET, 'Secrets with which nodes fetch the images of all charts of a release.'),
    },
    { additionalProperties: true, description: 'What all charts of a release share.' },
  ),
  enabled: Type.Boolean({ description: 'Read by a chart that this one is a dependency of.' }),
})
