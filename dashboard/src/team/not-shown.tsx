import style from './not-shown.module.css'

/** What a role may not see, with the reason. */
export const NotShown = ({ title, reason }: { readonly title: string; readonly reason: string }) => (
  <div className={style['nothing']}>
    <h2>{title}</h2>
    <p>{reason}</p>
  </div>
)
