import { Icon } from '../parts/icon.tsx'
import controls from '../style/controls.module.css'
import style from './search-field.module.css'

interface SearchFieldProps {
  readonly label: string
  readonly text: string
  onChange(text: string): void
}

/** Looks in a list that is read already. */
export const SearchField = ({ label, text, onChange }: SearchFieldProps) => (
  <label className={style['search']}>
    <Icon name="search" />
    <span className={controls['unseen-by-eye']}>{label}</span>
    <input
      type="search"
      className={controls['input']}
      placeholder="Search"
      autoComplete="off"
      maxLength={200}
      value={text}
      onChange={({ target }) => onChange(target.value)}
    />
  </label>
)
