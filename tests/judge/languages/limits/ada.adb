with Ada.Text_IO; use Ada.Text_IO;
procedure Limits is
   type Part is array (1 .. 2 ** 20) of Character;
   type Link is access Part;
   Line : constant String := Get_Line;
   N, Space : Natural := 0;
   Keep : array (1 .. 5000) of Link;
   function Depth (N : Natural) return Natural is
   begin
      if N = 0 then
         return 0;
      end if;
      return 1 + Depth (N - 1);
   end Depth;
begin
   for I in Line'Range loop
      if Line (I) = ' ' then
         Space := I;
      end if;
   end loop;
   N := Natural'Value (Line (Space + 1 .. Line'Last));
   if Line (1) = 'm' then
      for I in 1 .. N loop
         Keep (I) := new Part'(others => 'x');
      end loop;
   elsif Line (1) = 'd' then
      N := Depth (N);
   else
      raise Constraint_Error with "fail";
   end if;
   Put_Line ("done" & Natural'Image (N));
end Limits;
