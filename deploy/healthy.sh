#!/bin/bash
# Health check of a container: `healthy [PORT [PATH]]` exits with 0 if the response is 200. It takes three milliseconds,
# a Node process three hundred, so it may run often.
exec 3<>"/dev/tcp/127.0.0.1/${1:-$RENDERLINE_HEALTH_PORT}" || exit 1
printf 'GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n' "${2:-/readyz}" >&3
read -r -t 8 _ status _ <&3
[ "$status" = 200 ]
