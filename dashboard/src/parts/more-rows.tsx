import controls from '../style/controls.module.css'

interface MoreRowsProps {
  readonly list: { readonly hasMore: boolean; readonly isReadingMore: boolean; readMore(): void }
  readonly children: string
}

/** Reads the next rows of a list. Nothing, where the list has no more. */
export const MoreRows = ({ list: { hasMore, isReadingMore, readMore }, children }: MoreRowsProps) =>
  hasMore && (
    <button type="button" className={controls['button']} disabled={isReadingMore} onClick={readMore}>
      {isReadingMore ? 'Loading…' : children}
    </button>
  )
