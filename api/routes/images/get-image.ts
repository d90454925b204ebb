import { findImage, imageName } from '../../../store/images/images.ts'
import { ObjectStoreError } from '../../../store/objects/object-store.ts'
import { Closed, Text } from '../../../schema/shape/shape.ts'
import { apiError } from '../../http/api-error.ts'
import { unavailable } from '../../http/fault.ts'
import { type Answer, publicRoute } from '../../http/route.ts'

/** A page of history shows twenty; a person leafs. */
const PER_MINUTE = 1200

export const getImageRoute = publicRoute({
  method: 'GET',
  path: '/v1/images/:token',
  summary: 'Read a picture by its signed address',
  description:
    "The address comes from a run's pictures or a visual history, and is the credential: whoever has it may see " +
    'this one picture for five minutes.',
  tag: 'Runs',
  policy: 'public',
  perAddress: PER_MINUTE,
  params: Closed({ token: Text(1, 200) }),
  answers: { 200: { description: 'The picture.', only: 'image/png' } },
  refusals: ['FORBIDDEN'],
  beyond: true,
  async handle({ params, services }): Promise<Answer> {
    const { store, objects, imageLinks } = services
    const signed = imageLinks.read(params.token)
    if (!signed) throw refused()
    const found = await findImage(store, { ...signed, id: signed.imageId })
    if (found && !found.is_current) throw refused()
    if (!objects) throw apiError('UNAVAILABLE', 'This process has no object store.')
    const content = found && (await objects.get(imageName(signed.teamId, signed.imageId)).catch(away))
    if (!content) throw apiError('NOT_FOUND', 'There is no such picture any more.')
    return { status: 200, bytes: { type: 'image/png', content }, headers: HEADERS }
  },
})

/** Wrong and late alike. */
const refused = () => apiError('FORBIDDEN', 'This address is not signed by us, or its time is over. Ask for a new one.')

/** Also when somebody opens the address itself, nothing in the bytes can act. */
const HEADERS = {
  'cache-control': 'private, max-age=60',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
}

function away(error: unknown): never {
  throw error instanceof ObjectStoreError ? unavailable(error) : error
}
