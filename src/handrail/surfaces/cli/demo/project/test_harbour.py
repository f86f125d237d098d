import unittest

from harbour import clearance, may_enter


class ClearanceTest(unittest.TestCase):
    def test_the_tide_adds_water(self):
        self.assertEqual(clearance(depth_m=6.0, draught_m=5.0, tide_m=1.5), 2.5)

    def test_a_ship_may_enter_on_the_tide(self):
        self.assertTrue(may_enter(depth_m=5.0, draught_m=5.5, tide_m=2.0))
