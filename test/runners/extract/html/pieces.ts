/**
 * What a page is made of, and what it should not be made of: enough to get into every state that is read by stretches,
 * and out of it at every place.
 */
export const PIECES = (
  '< > </ /> <! <!-- --> --!> <!-- <!--> - -- <!doctype html> <!DOCTYPE HTML> <?xml <![CDATA[ ]]> & &amp; &amp ' +
  '&lt; &notit; &#13; &#x1F600; &nosuch; ' +
  '<p> <P CLASS=Big> </p> <div> </div> <b> </b> <i> </i> <a href=x> </a> <li> <ul> </ul> <table> </table> <tr> ' +
  '<td> </td> <th> <caption> <col> <tbody> ' +
  '<select> <option> </select> <pre> </pre> <textarea> </textarea> <title> </title> <script> </script> <style> ' +
  '</style> <noscript> </noscript> <template> ' +
  '</template> <svg> <svg:a> <path/> <foreignObject> </foreignObject> </svg> <math> <mi> <annotation-xml ' +
  'encoding=text/html> </math> <br> <br/> <hr /> ' +
  '<img src="a b" alt=\'c"d\'> <frameset> <frame> <html> <html lang=en> <head> </head> <body> <body class=x> ' +
  '<body id=y class=z> </body> </html> ' +
  '<plaintext> <xmp> </xmp> <button> </button> ' +
  '<form> </form> <input type=hidden> <h1> </h2> <p = "> <p a=1 A=2 a> <p a="x&amp;y" b=2> <p a=x&y b> <p ' +
  "a='&quot;'c=d> <p a=\"> <p/a/b=/> <p a= > " +
  '<a xlink:href=y XLINK:HREF=z> <a xlink:href=y href=z> text x 1 é € 😀 İ <É> <pÉ> <p É=É> \f \v'
).split(' ')

export const SPACES = [' ', '\n', '\t', '\r', '\r\n', '\n\n', '  ']
