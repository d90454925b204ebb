import what from './what.module.css'

/** The mark of a rule that a small change of the page leads elsewhere. */
export const Fragile = () => (
  <span className={what['fragile']} title="A small change of the page makes it find something else.">
    fragile
  </span>
)
