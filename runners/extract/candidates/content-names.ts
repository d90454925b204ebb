import type { Element } from 'domhandler'

/** Names of elements that say what their content is. Others, such as `b` and `p`, say how it looks. */
const CONTENT = new Set(
  (
    'h1 h2 h3 h4 h5 h6 title main article section nav header footer aside time address blockquote pre code output ' +
    'meter progress table caption dl ol ul form fieldset legend label figure figcaption details summary dialog ' +
    'video audio search hgroup'
  ).split(' '),
)

/** Returns whether the name of an element says what its content is: one of HTML's, or one that its authors chose. */
export const namesContent = ({ name }: Element): boolean => CONTENT.has(name) || /^[a-z]+-[a-z-]+$/.test(name)
