import type { DeliveryTest } from '../../api/types.ts'
import style from '../new.module.css'

const SHOWN = 300

/** What the receiver answered to a test. */
export const Answer = ({
  status,
  response_status: code,
  response_body: body,
  duration_ms: ms,
  request,
}: DeliveryTest) => (
  <>
    <b className={status === 'success' ? style['good'] : style['bad']}>
      {status === 'success' ? '✓' : '✗'} {code ?? (status === 'success' ? 'sent' : 'no answer')}
    </b>{' '}
    <span>in {ms.toLocaleString('en')} ms</span>
    {request.via === 'none' && <bdi>{request.message}</bdi>}
    {body !== null && body.trim() !== '' && <bdi className={style['answer']}>{body.slice(0, SHOWN)}</bdi>}
  </>
)
