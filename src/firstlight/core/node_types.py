"""
How fast the network of a node type is, for those people ask about most.

Gbps as the vendor's instance tables state them; "up to" values are what a burst
reaches. A type that is not here is refused with the way out (`--link-gbps`), for a
guessed speed would make a wrong share.
"""

LINK_GBPS: dict[str, float] = {
    "g5.xlarge": 10,
    "g5.2xlarge": 10,
    "g5.4xlarge": 25,
    "g5.8xlarge": 25,
    "g5.12xlarge": 40,
    "g5.16xlarge": 25,
    "g5.24xlarge": 50,
    "g5.48xlarge": 100,
    "g6.xlarge": 10,
    "g6.2xlarge": 10,
    "g6.4xlarge": 25,
    "g6.8xlarge": 25,
    "g6.12xlarge": 40,
    "g6.16xlarge": 25,
    "g6.24xlarge": 50,
    "g6.48xlarge": 100,
    "g6e.xlarge": 20,
    "g6e.2xlarge": 20,
    "g6e.4xlarge": 20,
    "g6e.8xlarge": 25,
    "g6e.12xlarge": 100,
    "g6e.16xlarge": 35,
    "g6e.24xlarge": 200,
    "g6e.48xlarge": 400,
    "g7e.2xlarge": 50,
    "p4d.24xlarge": 400,
    "p4de.24xlarge": 400,
    "p5.48xlarge": 3200,
    "p5e.48xlarge": 3200,
    "p5en.48xlarge": 3200,
}
