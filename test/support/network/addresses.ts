/**
 * Targets that must never be reached, as data: every door through which a stranger's URL comes in is tried with all of
 * them. The lists are about the default settings, which open no private range.
 */

/** Literal addresses that are no targets. */
export const DENIED_ADDRESSES: readonly string[] = [
  // loopback, unspecified
  ...['127.0.0.1', '127.0.0.2', '127.255.255.254', '0.0.0.0', '0.1.2.3', '::', '::1'],
  // IPv4 inside IPv6, private and public alike
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254', '::ffff:a9fe:a9fe'],
  ...['::7f00:1', '::127.0.0.1', '::8.8.8.8', '::ffff:0:7f00:1', '::ffff:0:808:808'],
  ...['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::a00:1', '64:ff9b:1:2::808:808'],
  ...[
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2002:808:808::1',
    '2001::1',
    '2001:0:7f00:1::',
    '2001:0:4136:e378:8000:63bf:80ff:fffe',
  ],
  ...['fe80::5efe:10.0.0.1', '2606:4700::5efe:127.0.0.1', '2606:4700::200:5efe:10.0.0.1', '2606:4700::5efe:8.8.8.8'],
  // private and reserved IPv4, at both ends
  ...['10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  ...['100.64.0.0', '100.127.255.255', '169.254.0.1', '169.254.255.255', '192.0.0.1', '192.0.0.192', '192.0.2.1'],
  ...['192.88.99.1', '198.18.0.0', '198.19.255.255', '198.51.100.7', '203.0.113.7'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.254', '255.255.255.255'],
  // private and reserved IPv6
  ...[
    'fc00::1',
    'fdff:ffff::1',
    'fe80::1',
    'febf::1',
    'fec0::1',
    'feff::1',
    'ff02::1',
    'ff0e::1',
    '100::1',
    '4000::1',
    '1fff::1',
  ],
  ...['2001:1::1', '2001:2::1', '2001:10::1', '2001:20::1', '2001:db8::1', '3fff::1', '3fff:fff::1', '5f00::1'],
  // clouds
  ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '169.254.169.253', '100.100.100.200', '168.63.129.16'],
  ...['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'],
]

/**
 * Neighbours of the ranges above, and well-known public addresses: none of these may be refused. Never dial them in a
 * test.
 */
export const PUBLIC_ADDRESSES: readonly string[] = [
  ...[
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.254',
    '100.63.255.255',
    '100.128.0.0',
    '100.128.0.1',
  ],
  ...['126.255.255.255', '128.0.0.1', '168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0'],
  ...[
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.1',
    '192.0.3.1',
    '192.88.98.1',
    '192.88.100.1',
    '192.167.255.255',
    '192.169.0.0',
  ],
  ...['198.17.255.255', '198.20.0.0', '198.51.99.1', '198.51.101.1', '203.0.112.1', '203.0.114.1', '223.255.255.255'],
  ...[
    '2606:4700::1',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2001:db7::1',
    '2001:db9::1',
    '2003::1',
    '2a00::1',
    '3ffe::1',
  ],
  ...['::ffff:8.8.8.8', '::ffff:808:808'],
]

/**
 * URLs whose target is private, in every spelling that a URL parser repairs. Well-formed, so the message speaks of the
 * address.
 */
export const PRIVATE_URLS: readonly string[] = [
  ...['http://127.0.0.1/', 'http://127.1/', 'http://0/', 'http://0.0.0.0/', 'http://2130706433/', 'http://0x7f000001/'],
  ...[
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'HTTP://127.0.0.1/',
  ],
  ...[
    'http://localhost/',
    'http://localhost./',
    'http://LOCALHOST:8080/',
    'http://x.localhost/',
    'http://x.localhost./',
  ],
  ...[
    'http://[::]/',
    'http://[::1]/',
    'https://[::1]:8443/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[::ffff:127.0.0.1]/',
  ],
  ...[
    'http://[::ffff:0:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001::1]/',
    'http://[fd00:ec2::254]/',
  ],
  ...[
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://198.18.0.1/',
    'http://[fe80::1]/',
  ],
  ...[
    'http://169.254.169.254/latest/meta-data/',
    'http://168.63.129.16/',
    'http://100.100.100.200/',
    'http://192.0.0.192/',
  ],
  ...['http://metadata.google.internal/', 'http://metadata.google.internal./', 'http://METADATA.google.internal/'],
]

/** Text that is no URL of a target at all. */
export const MALFORMED_URLS: readonly string[] = [
  ...[
    'file:///etc/passwd',
    'file:/etc/passwd',
    'source:file:///etc/passwd',
    ' file:///etc/passwd',
    'FILE:///etc/passwd',
    'FiLe:///x',
  ],
  ...[
    'view-source:http://example.com/',
    'chrome://version',
    'data:text/html,x',
    'blob:http://example.com/x',
    'javascript:alert(1)',
  ],
  ...[
    'ftp://example.com/',
    'gopher://example.com/',
    'ws://example.com/',
    'about:blank',
    '//example.com/',
    'example.com',
    '',
  ],
  ...[
    'http://user@example.com/',
    'http://user:pass@example.com/',
    'http://example.com@127.0.0.1/',
    'http://@example.com/',
    'http://:@example.com/',
  ],
  ...[
    'http://169.254.169.254:8888\\@public.example/',
    'http:\\\\example.com\\',
    'http:/\\example.com/',
    'http://example.com\\x',
  ],
  ...[
    'http://exa\tmple.com/',
    'http://exa\nmple.com/',
    'http://example.com/\r\nx',
    'http://example.com/\u0000',
    'http://exa mple.com/',
  ],
  ...[
    '\u0000http://example.com/',
    ' http://example.com/',
    'http://example.com/ ',
    'http://example.com/\u00a0x',
    'http://exam\u200bple.com/',
  ],
  ...[
    'http:///h',
    'http:h',
    'http:/h',
    'http://',
    'http://?x',
    'http://#x',
    'http://example.com:0/',
    'http://example.com:65536/',
  ],
  ...[
    'http://example.com:x/',
    'http://exa%00mple.com/',
    'http://[::1/',
    'http://[fe80::1%25eth0]/',
    'http://1.2.3.4.5/',
    'http://256.1.1.1/',
  ],
  ...[`http://${'a'.repeat(255)}.com/`, `http://example.com/${'a'.repeat(2_048)}`],
]

/** URLs that must pass when they are saved. */
export const ALLOWED_URLS: readonly string[] = [
  ...[
    'http://example.com/',
    'https://example.com',
    'HTTPS://EXAMPLE.com/a?b=c#d',
    'http://example.com:8443/',
    'http://example.com:31337/',
  ],
  ...[
    'http://1.1.1.1/',
    'http://100.128.0.1/',
    'http://[2606:4700::1]/',
    'http://bücher.example/',
    'http://example.com/ü?q=ö',
    'http://example.com./',
  ],
  ...['http://example.com/a@b', 'http://example.com/?next=http://127.0.0.1/', 'http://localhost.example.com/'],
]
