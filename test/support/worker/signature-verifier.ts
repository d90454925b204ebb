import Stripe from 'stripe'

/**
 * What receivers have already: a payment service's verifier of the same scheme. Its types leave out bytes, and the time
 * of the arrival.
 */
interface Verifier {
  verifyHeader(
    body: string | Buffer,
    header: string,
    secret: string,
    toleranceSeconds?: number,
    _?: undefined,
    arrivedMs?: number,
  ): boolean
}

export const verifier: Verifier | undefined = Stripe.webhooks.signature
